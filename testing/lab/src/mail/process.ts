import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { stopChild } from '../services/daemon.ts'
import { MAIL_HOSTS, type MailHostId } from './data/mail-fixtures.ts'

const STARTS_WITHIN_MS = 20_000
const LOG_LENGTH_MAX = 2_000

export type Place = { host: string; port: number }

/** A running mail server: its address and port per host, and its log. */
export type MailProgram = { places: Partial<Record<MailHostId, Place>>; logFile: string }

type ProcessOptions = {
  logFile: string
  answersAt: Place[]
  env?: Record<string, string>
  /** Runs after the process has ended. */
  cleanUp: AsyncDisposableStack
}

/**
 * Starts a server in its own process group and waits until it listens on all its addresses. Postfix requires to lead
 * its group, and the children of all servers outlive them while a client is connected, so the whole group is ended.
 */
export async function startProcess(command: string[], options: ProcessOptions): Promise<void> {
  const [program = '', ...args] = command
  const log = openSync(options.logFile, 'a')
  const child = spawn(program, args, { stdio: ['ignore', log, log], detached: true, env: options.env ?? {} })
  closeSync(log)
  child.once('error', () => {}) // a missing id reports the same failure
  const { pid } = child
  if (pid === undefined) throw new Error(`${program} cannot be run`)

  const guard = guardGroup(pid)
  options.cleanUp.defer(async () => {
    signalGroup(pid, 'SIGTERM')
    await stopChild(child, 'SIGTERM')
    await guard.release()
  })
  for (const place of options.answersAt) await answers(place, child, options.logFile)
}

/** One port on several addresses. */
export function placesOf(ids: MailHostId[], port: number): Partial<Record<MailHostId, Place>> {
  return Object.fromEntries(ids.map((id) => [id, { host: MAIL_HOSTS[id].host, port }]))
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // The group is empty.
  }
}

/**
 * A shell that kills the remaining processes of a group when it is released or when our process ends for any reason:
 * its input closes with our process. No other program would end a group that is not a child of ours.
 */
function guardGroup(pid: number) {
  const shell = spawn('/bin/sh', ['-c', 'read -r _; kill -s KILL -- "-$0"', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  return {
    async release() {
      shell.stdin.end()
      await once(shell, 'exit')
    },
  }
}

async function answers({ host, port }: Place, child: ChildProcess, logFile: string): Promise<void> {
  const deadline = Date.now() + STARTS_WITHIN_MS
  while (Date.now() < deadline) {
    if (child.exitCode !== null) break
    if (await canConnect({ host, port })) return
    await sleep(25)
  }
  const said = readFileSync(logFile, 'utf8').slice(-LOG_LENGTH_MAX)
  throw new Error(`${child.spawnargs.join(' ')} does not listen at ${host}:${port}. It said: ${said}`)
}

function canConnect(place: Place): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(place)
    socket.once('connect', () => socket.destroy())
    socket.once('error', () => resolve(false))
    socket.once('close', (failed) => resolve(!failed))
  })
}
