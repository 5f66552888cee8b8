import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'

/** A comparison that could not be made, with a message for the user: wrong options, an unknown commit, a run that failed. */
export class CompareError extends Error {
  override name = 'CompareError'
}

/** After SIGTERM, a benchmark stops its servers within this time. */
const STOP_LIMIT_MS = 20_000
const SHOWN_LINES_MAX = 40

type CommandOptions = { cwd: string; limitMs: number; signal: AbortSignal }
type CommandResult = { code: number | null; stdout: string; stderr: string }

/**
 * Runs a program in a process group of its own and waits until all its processes have closed their output. The group is ended as a
 * whole at the time limit and on an abort: pnpm, the benchmark and the servers that it started.
 */
export async function runCommand(command: string[], options: CommandOptions): Promise<CommandResult> {
  const { cwd, limitMs, signal } = options
  signal.throwIfAborted()
  const [program = '', ...args] = command
  const child = spawn(program, args, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const timers: NodeJS.Timeout[] = []
  const stop = () => {
    signalGroup(child.pid, 'SIGTERM')
    timers.push(setTimeout(() => signalGroup(child.pid, 'SIGKILL'), STOP_LIMIT_MS))
  }
  let isLate = false
  timers.push(
    setTimeout(() => {
      isLate = true
      stop()
    }, limitMs),
  )
  signal.addEventListener('abort', stop, { once: true })
  try {
    const output = Promise.all([text(child.stdout), text(child.stderr)])
    const [[code], [stdout, stderr]] = await Promise.all([once(child, 'close') as Promise<[number | null]>, output])
    signal.throwIfAborted()
    if (isLate) throw new CompareError(describeFailure(command, `took longer than ${limitMs / 1_000} s`, stderr))
    return { code, stdout, stderr }
  } finally {
    for (const timer of timers) clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

/** The standard output of a program that must succeed. */
export async function runOrFail(command: string[], options: CommandOptions): Promise<string> {
  const { code, stdout, stderr } = await runCommand(command, options)
  if (code === 0) return stdout
  throw new CompareError(describeFailure(command, `ended with exit code ${code}`, `${stderr}${stdout}`))
}

function describeFailure(command: string[], failure: string, output: string): string {
  const lines = output.trimEnd().split('\n').slice(-SHOWN_LINES_MAX)
  return `\`${command.join(' ')}\` ${failure}. Its last output:\n${lines.map((line) => `  ${line}`).join('\n')}`
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has ended by itself.
  }
}

/** Git and tar take seconds; an install without a filled store downloads everything. */
const UNPACK_LIMIT_MS = 120_000
const INSTALL_LIMIT_MS = 600_000

/** The root folder of the work tree, wherever in it this file is. */
export async function findTreeRoot(signal: AbortSignal): Promise<string> {
  const options = { cwd: import.meta.dirname, limitMs: UNPACK_LIMIT_MS, signal }
  return (await runOrFail(['git', 'rev-parse', '--show-toplevel'], options)).trim()
}

/** The full hash of what a user calls a commit: a branch, a tag, `HEAD~3`. */
export async function resolveCommit(commit: string, root: string, signal: AbortSignal): Promise<string> {
  const command = ['git', 'rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{commit}`]
  const { code, stdout } = await runCommand(command, { cwd: root, limitMs: UNPACK_LIMIT_MS, signal })
  if (code !== 0) throw new CompareError(`--base ${commit} is not a commit of this repository.`)
  return stdout.trim()
}

type CleanUp = { stack: AsyncDisposableStack; signal: AbortSignal }

/**
 * Unpacks a commit next to the work tree, so that both are on the same file system and under paths of similar length, and installs
 * its packages. The stack removes the folder.
 */
export async function unpackBase(hash: string, root: string, { stack, signal }: CleanUp): Promise<string> {
  const folder = await makeSibling(root, hash)
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  const archive = join(folder, 'tree.tar')
  const limitMs = UNPACK_LIMIT_MS
  await runOrFail(['git', 'archive', '--format', 'tar', '--output', archive, hash], { cwd: root, limitMs, signal })
  await runOrFail(['tar', '--extract', '--file', archive], { cwd: folder, limitMs, signal })
  await rm(archive)
  await installPackages(folder, signal)
  return folder
}

async function makeSibling(root: string, hash: string): Promise<string> {
  const parent = dirname(root)
  try {
    return await mkdtemp(join(parent, `.probity-compare-${hash.slice(0, 12)}-`))
  } catch (error) {
    throw new CompareError(`The base is unpacked next to the work tree, but ${parent} cannot be written to.`, {
      cause: error,
    })
  }
}

async function installPackages(folder: string, signal: AbortSignal): Promise<void> {
  const install = ['pnpm', 'install', '--frozen-lockfile']
  const options = { cwd: folder, limitMs: INSTALL_LIMIT_MS, signal }
  const { code } = await runCommand([...install, '--offline'], options)
  if (code === 0) return
  process.stderr.write('the package store lacks packages of the base: downloading them\n')
  await runOrFail([...install, '--prefer-offline'], options)
}
