import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts the CPU time of a process in hundredths of a second. */
const TICK_MS = 10

/** The CPU time so far of processes and all their children, in milliseconds, by the name given to each. */
export function readCpu(processes: Record<string, number>): Record<string, number> {
  const all = listProcesses()
  const timeOf = (pid: number): number => {
    const own = all.get(pid)?.ms ?? 0
    const children = [...all].filter(([, one]) => one.parent === pid).map(([child]) => timeOf(child))
    return children.reduce((sum, ms) => sum + ms, own)
  }
  return Object.fromEntries(Object.entries(processes).map(([name, pid]) => [name, timeOf(pid)]))
}

/** The CPU time of a load per request, in microseconds. */
export function cpuPerRequest(before: Record<string, number>, after: Record<string, number>, requests: number) {
  const names = Object.keys(after)
  const cost = (name: string) =>
    Math.round((((after[name] ?? 0) - (before[name] ?? 0)) * 1_000) / Math.max(1, requests))
  return Object.fromEntries(names.map((name) => [name, cost(name)]))
}

type Process = { parent: number; ms: number }

function listProcesses(): Map<number, Process> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return new Map(pids.flatMap((pid) => readProcess(pid)))
}

function readProcess(pid: string): [number, Process][] {
  try {
    // After the name, which is in parentheses and may contain any character, follow state, parent, …, user and system
    // time.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return [[Number(pid), { parent: Number(fields[1]), ms: (Number(fields[11]) + Number(fields[12])) * TICK_MS }]]
  } catch {
    return [] // the process ended after it was listed
  }
}
