import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { freePort, stopChild } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { inject } from 'vitest'
import { apiIsReady, type Program, ROOT, startProgram, workerIsReady } from './programs.ts'
import { claimRedis } from './redis.ts'

/** The exit code and duration of a process's shutdown. */
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
  /** Sends SIGKILL, whatever the process is doing. */
  kill(): Promise<void>
}

/** The API as in production, in its own process. */
export async function startApiProcess(settings: Record<string, string>, port?: number): Promise<ApiProcess> {
  const chosen = port ?? (await freePort())
  const program = await startOwn(join(ROOT, 'apps/api/src/server/main.ts'), { ...settings, PORT: String(chosen) })
  const url = `http://127.0.0.1:${chosen}`
  await apiIsReady(url)
  return { port: chosen, url, readLog: program.readLog, stop: () => stopTimed(program) }
}

/** The worker as in production. */
export async function startWorkerProcess(settings: Record<string, string>): Promise<WorkerProcess> {
  const program = await startOwn(join(ROOT, 'apps/worker/src/server/main.ts'), settings)
  await workerIsReady(program)
  return { stop: () => stopTimed(program), kill: () => stopChild(program.child, 'SIGKILL') }
}

/** Maintenance and notifications as in production. */
export async function startMaintenanceProcess(settings: Record<string, string>): Promise<WorkerProcess> {
  const program = await startOwn(join(ROOT, 'apps/worker/src/server/main.ts'), {
    ...settings,
    WORKER_TASKS: 'maintenance,notifications',
  })
  await workerIsReady(program)
  return { stop: () => stopTimed(program), kill: () => stopChild(program.child, 'SIGKILL') }
}

/** The process ends with the test or the file. The run searches its log for secrets. */
async function startOwn(path: string, settings: Record<string, string>): Promise<Program> {
  const logFile = join(inject('logFolder'), `process-${randomUUID()}.log`)
  const redis = settings['REDIS_URL'] ?? (await claimRedis())
  const program = startProgram(path, { ...settings, REDIS_URL: redis }, logFile)
  whenDone(() => program.stop())
  return program
}

async function stopTimed({ child, stop }: Program): Promise<Stopped> {
  const began = performance.now()
  await stop()
  return { code: child.exitCode, ms: performance.now() - began }
}
