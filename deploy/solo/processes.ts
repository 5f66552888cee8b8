import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Login, PATH } from './users.ts'

const STOPS_WITHIN_MS = 25_000

type Process = { name: string; child: ChildProcess; isServer: boolean; stopSignal: NodeJS.Signals }
export type End = { name: string; code: number | string }

const processes: Process[] = []

type Options = { login: Login; env?: NodeJS.ProcessEnv; isServer?: boolean; stopSignal?: NodeJS.Signals }

/** Starts a program as another user. Its output goes to the log of the container. A server stops after the programs that use it. */
export function start(name: string, [program = '', ...args]: string[], options: Options): void {
  const { login, env = { PATH }, isServer = false, stopSignal = 'SIGTERM' } = options
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], env, ...login })
  processes.push({ name, child, isServer, stopSignal })
}

/** A process that has ended. */
export function findEnd(): End | undefined {
  const ended = processes.find(({ child }) => isEnded(child))
  return ended && { name: ended.name, code: ended.child.exitCode ?? ended.child.signalCode ?? 'an unknown status' }
}

/** The first process that ends. */
export async function waitForEnd(): Promise<End> {
  await Promise.race(processes.map(({ child }) => (isEnded(child) ? undefined : once(child, 'exit'))))
  return findEnd() ?? { name: 'a process', code: 'an unknown status' }
}

export async function stopAll(): Promise<void> {
  await Promise.all(processes.filter(({ isServer }) => !isServer).map(stop))
  await Promise.all(processes.filter(({ isServer }) => isServer).map(stop))
}

const isEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

async function stop({ child, stopSignal }: Process): Promise<void> {
  if (isEnded(child)) return
  const ended = once(child, 'exit')
  child.kill(stopSignal)
  const timer = setTimeout(() => child.kill('SIGKILL'), STOPS_WITHIN_MS)
  await ended
  clearTimeout(timer)
}
