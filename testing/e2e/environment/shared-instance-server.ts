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

/** One that nobody has used for so long is not kept running beside tests that have no use for it. */
const KEPT_IDLE_MS = 20_000

/** What somebody needs to know who uses a product that others have used before. */
export type Lent = { url: string; port: number; logFile: string; settings: Record<string, string> }

type Surroundings = { postgresUrl: string; logFolder: string }
type Running = { lent: Lent; stop(): Promise<void> }
type Place = { running: Promise<Running>; idle?: NodeJS.Timeout }

/**
 * Lends the product to test files that only use it: to start one takes longer than most of them. Each place where files run has its
 * own, which they use one after the other. GET /PLACE borrows, DELETE /PLACE gives back.
 */
export async function openLender(surroundings: Surroundings): Promise<{ url: string; stop(): Promise<void> }> {
  const places = new Map<string, Place>()
  const endings: Promise<void>[] = []

  async function borrow(name: string): Promise<Lent> {
    const place = places.get(name) ?? { running: startOpenProduct(surroundings) }
    places.set(name, place)
    clearTimeout(place.idle)
    return (await place.running).lent
  }
  async function end(name: string): Promise<void> {
    const place = places.get(name)
    clearTimeout(place?.idle)
    places.delete(name)
    await (await place?.running)?.stop()
  }
  function giveBack(name: string): void {
    const place = places.get(name)
    if (place) place.idle = setTimeout(() => endings.push(end(name).catch(console.error)), KEPT_IDLE_MS)
  }

  async function answer({ method, url: name = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      response.end(method === 'GET' ? JSON.stringify(await borrow(name)) : giveBack(name))
    } catch (error) {
      places.delete(name) // it did not start
      response.writeHead(500).end(String(error))
    }
  }

  const server = createServer((request, response) => void answer(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close()
      server.closeAllConnections()
      await Promise.all([...endings, ...[...places.keys()].map(end)])
    },
  }
}

/** The api and a worker with their doors open, over the lab's DNS. */
async function startOpenProduct({ postgresUrl, logFolder }: Surroundings): Promise<Running> {
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
  const logFile = join(logFolder, `lent-api-${randomUUID()}.log`)
  const api = startProgram(join(ROOT, 'apps/api/src/server/main.ts'), { ...settings, PORT: String(port) }, logFile)
  started.defer(() => api.stop())
  const workerLog = join(logFolder, `lent-worker-${randomUUID()}.log`)
  const worker = startProgram(join(ROOT, 'apps/worker/src/server/main.ts'), { ...settings, WORKER_TASKS }, workerLog)
  started.defer(() => worker.stop())
  await Promise.all([apiIsReady(url), workerIsReady(worker)])
  const kept = started.move()
  return { lent: { url, port, logFile, settings }, stop: () => kept.disposeAsync() }
}
