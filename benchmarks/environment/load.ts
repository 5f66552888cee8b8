import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { stopChild } from '@probity/lab/services/daemon'
import type { Answered, LoadTask } from './load-process.ts'

/** Sends requests at a rate for some seconds and returns the outcome of each. */
export type Load = (rate: number, seconds: number) => Promise<Answered[]>

/** Clients in their own process, so that the measuring process loses no CPU time to them. */
export function openLoad({ url, key }: Pick<LoadTask, 'url' | 'key'>, cleanUp: AsyncDisposableStack): Load {
  const child: ChildProcess = fork(join(import.meta.dirname, 'load-process.ts'), { serialization: 'advanced' })
  cleanUp.defer(() => stopChild(child, 'SIGTERM'))
  hurry(child)
  let round = 0
  return async (rate, seconds) => {
    round += 1
    const task: LoadTask = { url, key, rate, seconds, round }
    child.send(task)
    const [answered] = (await once(child, 'message')) as [Answered[]]
    return answered
  }
}

/**
 * Real clients have their own machines: sharing this one must not make them wait for a CPU. Needs root; otherwise they
 * wait.
 */
function hurry({ pid }: ChildProcess): void {
  try {
    setPriority(pid ?? 0, constants.priority.PRIORITY_HIGHEST)
  } catch {
    process.stderr.write('clients share the CPU with the service, which adds to its latency: run this as root\n')
  }
}

export function isAccepted({ status }: Answered): boolean {
  return status >= 200 && status < 300
}

/** The latency of accepted requests at this percentile, in milliseconds. */
export function waitOf(share: number, answered: Answered[]): number {
  const times = answered
    .filter(isAccepted)
    .map(({ ms }) => ms)
    .toSorted((one, other) => one - other)
  return times[Math.floor(times.length * share)] ?? Number.POSITIVE_INFINITY
}
