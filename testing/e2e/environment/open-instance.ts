import { createTestDatabase } from '@probity/database/connection/test-database'
import { startDns } from '@probity/lab/dns/start'
import { startRedis } from '@probity/lab/services/redis'
import { type Receiver, startReceiver } from '@probity/lab/webhooks/receiver'
import { whenDone } from '@probity/lab/when-done'
import { type Instance, startInstance } from './instance.ts'
import { listSettings, startListWorker, startTaskWorker, startTestSimulation, type TestSimulation } from './jobs.ts'
import { startApiProcess } from './processes.ts'
import { OPEN } from './programs.ts'

/** A service with open sign-up, where new accounts have credits. */
export function startOpenInstance(changes: Record<string, string> = {}): Promise<Instance> {
  return startInstance({ ...OPEN, ...changes })
}

/** The same with a simulation that has this many plain addresses. */
export async function startOpenSimulation(addresses: number): Promise<Instance & { simulation: TestSimulation }> {
  const redis = await startRedis()
  whenDone(() => redis.stop())
  const [database, simulation] = await Promise.all([createTestDatabase(), startTestSimulation(addresses)])
  const settings = { ...listSettings(database.url, redis.url), ...OPEN }
  const [api, worker] = await Promise.all([startApiProcess(settings), startListWorker(settings, simulation)])
  return { ...database, api, worker, settings, simulation }
}

const RECEIVERS = '127.97.0'

/** The same with a webhook receiver of this name; the worker can deliver to no other host. */
export async function startReceivingInstance(name: string): Promise<Instance & { receiver: Receiver }> {
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
