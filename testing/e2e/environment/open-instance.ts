import { createTestDatabase } from '@probity/database/connection/test-database'
import { startDns } from '@probity/lab/dns/start'
import { startRedis } from '@probity/lab/services/redis'
import { type Receiver, startReceiver } from '@probity/lab/webhooks/receiver'
import { whenDone } from '@probity/lab/when-done'
import { type Product, startProduct } from './instance.ts'
import { listSettings, startListWorker, startTaskWorker, startTestWorld, type TestWorld } from './jobs.ts'
import { startApiProcess } from './processes.ts'
import { OPEN } from './programs.ts'

/** The product with its doors open: anybody may sign up, and an organisation begins with credits. */
export function startOpenProduct(changes: Record<string, string> = {}): Promise<Product> {
  return startProduct({ ...OPEN, ...changes })
}

/** The same over a world of mail servers that has so many plain addresses. */
export async function startOpenWorld(addresses: number): Promise<Product & { world: TestWorld }> {
  const redis = await startRedis()
  whenDone(() => redis.stop())
  const [database, world] = await Promise.all([createTestDatabase(), startTestWorld(addresses)])
  const settings = { ...listSettings(database.url, redis.url), ...OPEN }
  const [api, worker] = await Promise.all([startApiProcess(settings), startListWorker(settings, world)])
  return { ...database, api, worker, settings, world }
}

const RECEIVERS = '127.97.0'

/** The same with somebody who receives webhooks under this name; the worker may send to nobody else. */
export async function startOpenReceiver(name: string): Promise<Product & { receiver: Receiver }> {
  const [redis, dns] = await Promise.all([startRedis(), startDns()])
  whenDone(() => Promise.all([redis.stop(), dns.stop()]))
  const receiver = await startReceiver({ name, address: `${RECEIVERS}.1` })
  whenDone(() => receiver.stop())
  await dns.put({ [name]: { a: [receiver.address] } })
  const database = await createTestDatabase()
  const settings = { ...listSettings(database.url, redis.url), ...OPEN, DNS_SERVERS: `127.0.0.1:${dns.port}` }
  const webhooks = { port: receiver.port, addressBase: RECEIVERS, authority: receiver.authority }
  const [api, worker] = await Promise.all([
    startApiProcess(settings),
    startTaskWorker({ settings, smtpPort: 1, addressBase: RECEIVERS, webhooks }),
  ])
  return { ...database, api, worker, settings, receiver }
}
