import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, stopChild } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { inject } from 'vitest'
import { claimRedis } from './test-redis.ts'

export const ROOT = join(import.meta.dirname, '..')
const READY_WITHIN_MS = 60_000
const GONE_WITHIN_MS = 35_000

/** How a process ended, and how long that took. */
export type Stopped = { code: number | null; ms: number }

export type ApiProcess = {
  port: number
  url: string
  readLog(): string
  /** Sends SIGTERM and waits. */
  stop(): Promise<Stopped>
}

export type WorkerProcess = {
  stop(): Promise<Stopped>
  /** Ends it at once, in the middle of whatever it does. */
  kill(): Promise<void>
}

/** The api as it runs in production, a process of its own. `root` is the tree of another version. */
export async function startApiProcess(
  settings: Record<string, string>,
  port?: number,
  root: string = ROOT,
): Promise<ApiProcess> {
  const chosen = port ?? (await freePort())
  const { child, readLog } = await startProgram(join(root, 'apps/api/src/main.ts'), {
    ...settings,
    PORT: String(chosen),
  })
  const url = `http://127.0.0.1:${chosen}`
  await eventually(`${url} is ready`, async () => (await fetch(`${url}/readyz`)).ok)
  return { port: chosen, url, readLog, stop: () => stopTimed(child) }
}

/** The worker as it runs in production. */
export async function startWorkerProcess(settings: Record<string, string>): Promise<WorkerProcess> {
  const { child, readLog } = await startProgram(join(ROOT, 'apps/worker/src/main.ts'), settings)
  await eventually('the worker works', async () => readLog().includes('"working"'))
  return { stop: () => stopTimed(child), kill: () => stopChild(child, 'SIGKILL') }
}

/** Starts a program of ours. Its log goes where the run looks for secrets. */
async function startProgram(path: string, settings: Record<string, string>) {
  const logFile = join(inject('logFolder'), `process-${randomUUID()}.log`)
  const log = openSync(logFile, 'a')
  const child = spawn(process.execPath, [path], {
    stdio: ['ignore', log, log],
    env: { ...process.env, ...settings, REDIS_URL: settings['REDIS_URL'] ?? (await claimRedis()) },
  })
  whenDone(() => stopChild(child, 'SIGTERM', GONE_WITHIN_MS))
  return { child, readLog: () => readFileSync(logFile, 'utf8') }
}

async function stopTimed(child: ChildProcess): Promise<Stopped> {
  const began = performance.now()
  await stopChild(child, 'SIGTERM', GONE_WITHIN_MS)
  return { code: child.exitCode, ms: performance.now() - began }
}

async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS
  while (Date.now() < deadline) {
    if (await isSo().catch(() => false)) return // not listening yet
    await sleep(50)
  }
  throw new Error(`not in time: ${what}`)
}
