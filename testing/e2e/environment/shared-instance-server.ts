import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { makeDatabase } from '@probity/database/connection/test-database'
import { startDns } from '@probity/lab/dns/start'
import { freePort, makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { startRedis } from '@probity/lab/services/redis'
import { apiIsReady, OPEN, ROOT, startProgram, workerIsReady } from './programs.ts'

/** All tasks in one process, because it starts faster than two. */
const WORKER_TASKS = 'validations,jobs,webhooks,maintenance,notifications'

/** An instance that is not used for this long is stopped, so that it takes no processor time from other tests. */
const KEPT_IDLE_MS = 20_000

/** The connection data of a running instance for a test file. */
export type InstanceDetails = { url: string; port: number; logFile: string; settings: Record<string, string> }

type TestServers = { postgresUrl: string; logFolder: string }
type Running = { details: InstanceDetails; stop(): Promise<void> }
type Slot = { running: Promise<Running>; idle?: NodeJS.Timeout }

/**
 * Keeps instances running for test files that share them: a start takes longer than most of these files. Each worker of Vitest has its own instance,
 * used by one file at a time. GET /SLOT starts or returns it, DELETE /SLOT releases it.
 */
export async function serveSharedInstances(servers: TestServers): Promise<{ url: string; stop(): Promise<void> }> {
  const slots = new Map<string, Slot>()
  const stops: Promise<void>[] = []

  async function acquire(name: string): Promise<InstanceDetails> {
    const slot = slots.get(name) ?? { running: startOpenInstance(servers) }
    slots.set(name, slot)
    clearTimeout(slot.idle)
    return (await slot.running).details
  }
  async function end(name: string): Promise<void> {
    const slot = slots.get(name)
    clearTimeout(slot?.idle)
    slots.delete(name)
    await (await slot?.running)?.stop()
  }
  function release(name: string): void {
    const slot = slots.get(name)
    if (slot) slot.idle = setTimeout(() => stops.push(end(name).catch(console.error)), KEPT_IDLE_MS)
  }

  async function respond({ method, url: name = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      response.end(method === 'GET' ? JSON.stringify(await acquire(name)) : release(name))
    } catch (error) {
      slots.delete(name) // it did not start
      response.writeHead(500).end(String(error))
    }
  }

  const server = createServer((request, response) => void respond(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close()
      server.closeAllConnections()
      await Promise.all([...stops, ...[...slots.keys()].map(end)])
    },
  }
}

/** The API and a worker with open sign-up, with the lab's DNS. */
async function startOpenInstance({ postgresUrl, logFolder }: TestServers): Promise<Running> {
  await using started = new AsyncDisposableStack()
  const database = await makeDatabase(postgresUrl, 'postgres')
  started.defer(() => database.drop())
  const redis = await startRedis()
  started.defer(() => redis.stop())
  const dns = await startDns()
  started.defer(() => dns.stop())
  const uploads = makeFolder('probity-uploads')
  started.defer(() => removeFolder(uploads))
  const settings = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    UPLOADS_FOLDER: uploads,
    DNS_SERVERS: `127.0.0.1:${dns.port}`,
    STOP_NOTICE_MS: '0',
    ...OPEN,
  }
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const logFile = join(logFolder, `shared-api-${randomUUID()}.log`)
  const api = startProgram(join(ROOT, 'apps/api/src/server/main.ts'), { ...settings, PORT: String(port) }, logFile)
  started.defer(() => api.stop())
  const workerLog = join(logFolder, `shared-worker-${randomUUID()}.log`)
  const worker = startProgram(join(ROOT, 'apps/worker/src/server/main.ts'), { ...settings, WORKER_TASKS }, workerLog)
  started.defer(() => worker.stop())
  await Promise.all([apiIsReady(url), workerIsReady(worker)])
  const kept = started.move()
  return { details: { url, port, logFile, settings }, stop: () => kept.disposeAsync() }
}
