import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, removeFolder, stopChild } from '@probity/lab/services/daemon'
import type { RecipientRecord } from '@probity/lab/simulation/recipient-record'
import type { Populated, SimulationOptions } from '@probity/lab/simulation/start'

/** A running simulation in its own process, and a way to start programs in its network. */
export type Place = {
  dnsPort: number
  smtpPort: number
  /** Connections that its mail servers have accepted so far. */
  connections(): Promise<number>
  /** The recipients that its mail servers have received so far, and their replies. */
  recipients(): Promise<RecipientRecord>
  /** Starts a benchmark script that reads standard input and writes standard output. */
  start(script: string, task: object): ChildProcess
  stop(): Promise<void>
}

/** The first two bytes of every address of the simulation. */
export const ADDRESS_BASE = '127.77'

const UP_WITHIN_MS = 60_000

/** A simulation in the network of this machine, on free ports. */
export function startSimulationHere(
  populated: Populated & Pick<SimulationOptions, 'timeFactor' | 'keepsReplies'>,
  signal: AbortSignal,
): Promise<Place> {
  const options = { ...populated, addressBase: ADDRESS_BASE }
  return startSimulationProcess(options, { signal, enter: [], inside: () => [] })
}

/**
 * A simulation on the standard ports of SMTP and DNS, in a network namespace with its own resolv.conf. Programs without
 * settings for ports can run there. Needs root.
 */
export async function startSimulationInNamespace(populated: Populated, signal: AbortSignal): Promise<Place> {
  const folder = makeFolder('probity-bench')
  const resolvConf = join(folder, 'resolv.conf')
  writeFileSync(resolvConf, 'nameserver 127.0.0.1\n')
  const prepare = 'mount --bind "$0" /etc/resolv.conf && ip link set lo up && exec "$@"'
  const enter = ['unshare', '--net', '--mount', 'sh', '-c', prepare, resolvConf]
  const inside = (pid: number) => ['nsenter', '--net', '--mount', '--target', String(pid)]
  const options = { ...populated, addressBase: ADDRESS_BASE, keepsReplies: true, port: 25, dnsPort: 53 }
  try {
    return await startSimulationProcess(options, { signal, enter, inside })
  } finally {
    removeFolder(folder) // a mounted file stays available, as an open file does
  }
}

type Namespace = {
  signal: AbortSignal
  /** The command that creates the namespace and then executes the given program. */
  enter: string[]
  /** The command that enters the namespace of the process and then executes the given program. */
  inside(pid: number): string[]
}

async function startSimulationProcess(
  options: SimulationOptions,
  { signal, enter, inside }: Namespace,
): Promise<Place> {
  const simulation = run([...enter, ...script('environment/simulation-process.ts', options)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    signal,
  })
  const [{ dnsPort, smtpPort }] = await heardFrom(simulation)
  const ask = async (wanted: 'connections' | 'recipients') => {
    const answer = heardFrom(simulation)
    simulation.send(wanted)
    const [found] = await answer
    return found
  }
  return {
    dnsPort,
    smtpPort,
    connections: () => ask('connections'),
    recipients: () => ask('recipients'),
    start: (path, task) =>
      run([...inside(simulation.pid ?? 0), ...script(path, task)], { stdio: ['pipe', 'pipe', 'inherit'], signal }),
    stop: () => stopChild(simulation, 'SIGTERM'),
  }
}

function script(path: string, task: object): string[] {
  return [process.execPath, join(import.meta.dirname, '..', path), JSON.stringify(task)]
}

function run([program = '', ...args]: string[], options: SpawnOptions): ChildProcess {
  const child = spawn(program, args, options)
  child.on('error', () => {}) // a missing program also ends, which the wait for its first message reports
  return child
}

/** The next message of a child process. Its end is an error, and so is a timeout. */
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
