import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { chownSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const STARTS_WITHIN_MS = 20_000
const STOPS_WITHIN_MS = 10_000

/** A server process that the lab started and ends by its own process id. */
export type Daemon = { pid: number; stop(signal?: NodeJS.Signals): Promise<void> }

type DaemonOptions = {
  logFile: string
  user?: User | undefined
  env?: Record<string, string>
  startsWithinMs?: number
}

/** Starts a program in the foreground with its output in a file and waits until its port accepts connections. */
export async function startDaemon(command: string[], port: number, options: DaemonOptions): Promise<Daemon> {
  const [program = '', ...args] = command
  const log = openSync(options.logFile, 'a')
  const child = spawn(program, args, {
    stdio: ['ignore', log, log],
    ...options.user,
    ...(options.env && { env: options.env }),
  })
  closeSync(log) // the child has its own descriptor; ours would keep the disk in use
  try {
    await portAnswers(port, child, options)
  } catch (error) {
    if (child.pid !== undefined) await stopChild(child, 'SIGKILL') // no other code would end it
    throw error
  }
  return { pid: child.pid ?? 0, stop: (signal = 'SIGTERM') => stopChild(child, signal) }
}

/** Ends a child process and waits for its exit; a process that ignores the signal is killed. */
export async function stopChild(
  child: ChildProcess,
  signal: NodeJS.Signals,
  withinMs = STOPS_WITHIN_MS,
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill(signal)
  const killer = setTimeout(() => child.kill('SIGKILL'), withinMs)
  await gone
  clearTimeout(killer)
}

async function portAnswers(port: number, child: ChildProcess, options: DaemonOptions): Promise<void> {
  const { logFile, startsWithinMs = STARTS_WITHIN_MS } = options
  const deadline = Date.now() + startsWithinMs
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}; see ${logFile}`)
    if (await canConnect(port)) return
    await sleep(25)
  }
  throw new Error(`${child.spawnfile} did not listen on ${port} in time; see ${logFile}`)
}

export function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

/** Below the range of ephemeral ports, from which the system could take the port for an outgoing connection. */
const PORTS = { from: 10_000, to: 32_000 }
const TRIES_MAX = 50

/** A port on which no process listens, neither over TCP nor over UDP. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const port = randomInt(PORTS.from, PORTS.to)
    if ((await canListen(port)) && (await canBind(port))) return port
  }
  throw new Error('no free port was found')
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

function canBind(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4')
    socket.once('error', () => socket.close(() => resolve(false)))
    socket.bind(port, '127.0.0.1', () => socket.close(() => resolve(true)))
  })
}

export type User = { uid: number; gid: number }

/** PostgreSQL and PgBouncer refuse to run as root; when the lab runs as root, they run as the user of their package. */
export function unprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

export function makeFolder(prefix: string, user?: User, parent: string = tmpdir()): string {
  const folder = mkdtempSync(join(parent, `${prefix}-`))
  if (user) chownSync(folder, user.uid, user.gid)
  return folder
}

export function makeSubfolder(parent: string, name: string, user?: User): string {
  const folder = join(parent, name)
  mkdirSync(folder, { mode: 0o700 })
  if (user) chownSync(folder, user.uid, user.gid)
  return folder
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}
