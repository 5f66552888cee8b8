import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const GONE_WITHIN_MS = 10_000

/** The running processes among a process and its descendants. */
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
    // After the name, which is in parentheses and may contain any character, follow the state and the parent.
    const [state = '', parent = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return [{ pid, parent: Number(parent), state }]
  } catch {
    return [] // the process ended after it was listed
  }
}

/** A process that has ended and was not waited for (a zombie) is still listed, but is not alive. */
function isAlive(pid: number): boolean {
  const [found] = readProcess(pid)
  return found !== undefined && found.state !== 'Z'
}

/** Sends a signal to a process and its descendants. */
export function signalTree(root: number, signal: NodeJS.Signals): number[] {
  const pids = listTree(root)
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // the process ended after it was listed
    }
  }
  return pids
}

/** Kills a process and its descendants, and waits until all have ended. */
export async function killTree(root: number): Promise<void> {
  const pids = signalTree(root, 'SIGKILL')
  for (const deadline = Date.now() + GONE_WITHIN_MS; pids.some(isAlive); await sleep(10)) {
    if (Date.now() > deadline) throw new Error('a process outlived its own death')
  }
}
