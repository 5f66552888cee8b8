import { type ChildProcess, spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { stopChild } from '@probity/lab/services/daemon'

export const ROOT = join(import.meta.dirname, '../../..')
const READY_WITHIN_MS = 60_000
const STOPS_WITHIN_MS = 35_000

/** TRUST_PROXY gives each window an address of its own: with one address, all tests together would reach the rate limits. */
export const OPEN = {
  SIGN_UP: 'open',
  ABUSE_LIMITS: 'false',
  NEW_ACCOUNT_CREDITS: '10000',
  OPERATOR_2FA: 'optional',
  TRUST_PROXY: '127.0.0.1',
}

/** A program as it runs in production, in its own process. The code that starts it also stops it. */
export type Program = { child: ChildProcess; readLog(): string; stop(): Promise<void> }

export function startProgram(path: string, settings: Record<string, string>, logFile: string): Program {
  const log = openSync(logFile, 'a')
  const child = spawn(process.execPath, [path], { stdio: ['ignore', log, log], env: { ...process.env, ...settings } })
  return {
    child,
    readLog: () => readFileSync(logFile, 'utf8'),
    stop: () => stopChild(child, 'SIGTERM', STOPS_WITHIN_MS),
  }
}

export function apiIsReady(url: string): Promise<void> {
  return waitUntil(`${url} is ready`, async () => (await fetch(`${url}/readyz`)).ok)
}

export function workerIsReady({ readLog }: Program): Promise<void> {
  return waitUntil('the worker has started', async () => readLog().includes('"worker started"'))
}

async function waitUntil(what: string, isReady: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS
  while (Date.now() < deadline) {
    if (await isReady().catch(() => false)) return // not listening yet
    await sleep(50)
  }
  throw new Error(`not within ${READY_WITHIN_MS} ms: ${what}`)
}
