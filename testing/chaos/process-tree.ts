import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const GONE_WITHIN_MS = 10_000

/** A process and all that it started, as far as they live. */
function listTree(root: number): number[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readProcess(Number(name)) : []))
  const below = (pid: number): number[] => [
    pid,
    ...all.filter(({ parent }) => parent === pid).flatMap((one) => below(one.pid)),
  ]
  return below(root).filter((pid) => isAlive(pid))
}

type Process = { pid: number; parent: number; state: string }

function readProcess(pid: number): Process[] {
  try {
    // After the name, which stands in parentheses and may hold anything, come the state and the parent.
    const [state = '', parent = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return [{ pid, parent: Number(parent), state }]
  } catch {
    return [] // gone since it was listed
  }
}

/** A process that has ended and was not waited for (a zombie) is still listed, but is not alive. */
function isAlive(pid: number): boolean {
  const [found] = readProcess(pid)
  return found !== undefined && found.state !== 'Z'
}

/** Sends a signal to a process and all that it started. */
export function signalTree(root: number, signal: NodeJS.Signals): number[] {
  const pids = listTree(root)
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended since it was listed, which is as good.
    }
  }
  return pids
}

/** Kills a process and all that it started, and waits until the last of them is gone. */
export async function killTree(root: number): Promise<void> {
  const pids = signalTree(root, 'SIGKILL')
  for (const deadline = Date.now() + GONE_WITHIN_MS; pids.some(isAlive); await sleep(10)) {
    if (Date.now() > deadline) throw new Error('a process outlived its own death')
  }
}
