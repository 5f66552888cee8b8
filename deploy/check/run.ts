import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

type Options = { cwd?: string; env?: Record<string, string>; input?: string }

/** Runs a program to its end, its output on our standard error, and throws if it fails. */
export function run(program: string, args: string[], { cwd, env, input }: Options = {}): void {
  const { status, error } = spawnSync(program, args, {
    stdio: [input === undefined ? 'ignore' : 'pipe', 2, 2],
    ...(cwd && { cwd }),
    ...(input !== undefined && { input }),
    // The program sees no environment of this machine except the settings for network access.
    ...(env && { env }),
  })
  if (error) throw error
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}`)
}

/** The output of a program. */
export function read(program: string, args: string[], cwd?: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', ...(cwd && { cwd }) })
  if (error) throw error
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}`)
  return stdout.trim()
}

/** Ends a child process and waits for its exit; kills it after a timeout. */
export async function end(child: ChildProcess, signal: NodeJS.Signals, withinMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  const killer = setTimeout(() => child.kill('SIGKILL'), withinMs)
  await gone
  clearTimeout(killer)
}

export function start(program: string, args: string[]): ChildProcess {
  return spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
}

export function tell(line: string): void {
  process.stderr.write(`==> ${line}\n`)
}
