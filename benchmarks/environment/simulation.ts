import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, removeFolder, stopChild } from '@probity/lab/services/daemon'
import type { WorldSize } from '@probity/lab/simulation/population'

/** A running world, and the way to have a program run where that world is. */
export type Place = {
  dnsPort: number
  smtpPort: number
  /** Connections that its mail servers have taken so far. */
  connections(): Promise<number>
  /** Starts a script of the bench that reads from standard input and writes to standard output. */
  start(script: string, task: object): ChildProcess
  stop(): Promise<void>
}

/** The first two bytes of every address of the world. */
export const ADDRESS_BASE = '127.77'

const UP_WITHIN_MS = 60_000

/** The world beside everything else on this machine, on free ports. */
export function openPlaceHere(size: WorldSize, signal: AbortSignal): Promise<Place> {
  return openPlace({ ...size, addressBase: ADDRESS_BASE }, { signal, enter: [], inside: () => [] })
}

/**
 * The world on the ports where mail and DNS really are, in a network of its own where there is nothing else, with a resolver file
 * that leads to it. So programs that know nothing of the world live in it. Needs root.
 */
export async function openPlaceApart(size: WorldSize, signal: AbortSignal): Promise<Place> {
  const folder = makeFolder('probity-bench')
  const resolvConf = join(folder, 'resolv.conf')
  writeFileSync(resolvConf, 'nameserver 127.0.0.1\n')
  const prepare = 'mount --bind "$0" /etc/resolv.conf && ip link set lo up && exec "$@"'
  const enter = ['unshare', '--net', '--mount', 'sh', '-c', prepare, resolvConf]
  const inside = (pid: number) => ['nsenter', '--net', '--mount', '--target', String(pid)]
  const options = { ...size, addressBase: ADDRESS_BASE, port: 25, dnsPort: 53 }
  try {
    return await openPlace(options, { signal, enter, inside })
  } finally {
    removeFolder(folder) // what is mounted stays, as an open file does
  }
}

type Way = {
  signal: AbortSignal
  /** The command that makes the place and goes on as the program behind it. */
  enter: string[]
  /** The command that goes to where the process is and goes on as the program behind it. */
  inside(pid: number): string[]
}

async function openPlace(options: object, { signal, enter, inside }: Way): Promise<Place> {
  const world = run([...enter, ...script('environment/simulation-process.ts', options)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    signal,
  })
  const [{ dnsPort, smtpPort }] = await heardFrom(world)
  return {
    dnsPort,
    smtpPort,
    async connections() {
      const answer = heardFrom(world)
      world.send('connections')
      const [count] = await answer
      return count
    },
    start: (path, task) =>
      run([...inside(world.pid ?? 0), ...script(path, task)], { stdio: ['pipe', 'pipe', 'inherit'], signal }),
    stop: () => stopChild(world, 'SIGTERM'),
  }
}

function script(path: string, task: object): string[] {
  return [process.execPath, join(import.meta.dirname, '..', path), JSON.stringify(task)]
}

function run([program = '', ...args]: string[], options: SpawnOptions): ChildProcess {
  const child = spawn(program, args, options)
  child.on('error', () => {}) // a program that is not there also ends, and is missed by whoever waits for its word
  return child
}

/** The next word of a child; its end is an error, and so is saying nothing. */
async function heardFrom(child: ChildProcess) {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), UP_WITHIN_MS)
  child.once('close', () => over.abort())
  try {
    return await once(child, 'message', { signal: over.signal })
  } catch (error) {
    throw new Error('The world did not come up.', { cause: error })
  } finally {
    clearTimeout(timer)
  }
}
