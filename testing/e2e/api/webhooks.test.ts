import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { startDns } from '@probity/lab/dns/start'
import { startRedis } from '@probity/lab/services/redis'
import { type Received, startReceiver } from '@probity/lab/webhooks/receiver'
import { whenDone } from '@probity/lab/when-done'
import { Webhook } from 'standardwebhooks'
import { expect, test, vi } from 'vitest'
import { createApiClient, repeatWhileOverloaded } from '../environment/instance.ts'
import { confirmList, listSettings, startTaskWorker } from '../environment/jobs.ts'
import { startApiProcess } from '../environment/processes.ts'

const NAME = 'hooks.journey.example'
const ADDRESS_BASE = '127.96.0'
const ROWS = 200
const SOON = { timeout: 60_000, interval: 100 }
/** The claims of a killed worker are released after 30 seconds. */
const LEASE_OVER = { timeout: 90_000, interval: 100 }

/** A test environment with a webhook receiver. Jobs need no SMTP probe: DNS decides all verdicts. */
async function startPlace() {
  const [redis, dns] = await Promise.all([startRedis(), startDns()])
  whenDone(() => Promise.all([redis.stop(), dns.stop()]))
  const receiver = await startReceiver({ name: NAME, address: `${ADDRESS_BASE}.1` })
  whenDone(() => receiver.stop())
  await dns.put({ [NAME]: { a: [receiver.address] } })
  const { url, db } = await createTestDatabase()
  const settings = { ...listSettings(url, redis.url), DNS_SERVERS: `127.0.0.1:${dns.port}` }
  const webhooks = { port: receiver.port, addressBase: ADDRESS_BASE, authority: receiver.authority }
  const startWorker = () => startTaskWorker({ settings, smtpPort: 1, addressBase: ADDRESS_BASE, webhooks })
  const [api, worker] = await Promise.all([startApiProcess(settings), startWorker()])
  const apiClient = await createApiClient({ db, api })
  return { redis, receiver, api, worker, apiClient, startWorker }
}

test('a job completes and its webhook is delivered although the worker and Redis are killed', async () => {
  const { redis, receiver, api, worker, apiClient, startWorker } = await startPlace()
  const { body: hook } = await apiClient.call('POST', '/webhooks', { url: `https://${NAME}/` })
  const verifier = new Webhook(String(hook['secret']))
  const typeOf = (received: Received) => (verifier.verify(received.body, received.headers) as { type: string }).type
  const completions = () => receiver.received.filter((received) => typeOf(received) === 'job.completed')

  // The receiver accepts the event and does not respond, so that the worker is killed during the delivery.
  receiver.answer(() => new Promise(() => {}))
  const addresses = Array.from({ length: ROWS }, (_, n) => ({ email: `row-${n}@null-mx.example` }))
  const jobId = await confirmList(api.url, apiClient, addresses)
  await vi.waitFor(() => expect(completions().length).toBe(1), SOON)
  await Promise.all([worker.kill(), redis.halt()])
  const { body: shown } = await apiClient.call('GET', `/bulk/jobs/${jobId}`)
  expect(shown['status']).toBe('completed')

  receiver.answer(() => 200)
  const next = await startWorker()
  await vi.waitFor(() => expect(completions().length).toBe(2), LEASE_OVER)
  const [first, second] = completions()
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(second?.body).toBe(first?.body)
  expect(JSON.parse(second?.body ?? '')).toMatchObject({ livemode: true, data: shown })

  // Redis is still down: the dispatcher sends the deliveries.
  const sent = await apiClient.call('POST', `/webhooks/${hook['id']}/test`)
  const log = async (id: unknown) => (await apiClient.call('GET', `/webhooks/${hook['id']}/deliveries/${id}`)).body
  await vi.waitFor(
    async () => expect(await log(sent.body['id'])).toMatchObject({ status: 'delivered', attempt_count: 1 }),
    SOON,
  )

  // Redis is killed during a hundred deliveries and starts again empty.
  receiver.answer(() => sleep(100).then(() => 204))
  await redis.restart()
  const sendTest = async () => {
    const sent = await repeatWhileOverloaded(() => apiClient.call('POST', `/webhooks/${hook['id']}/test`))
    expect(sent.status, sent.text).toBe(202)
    return sent.body['event_id']
  }
  const ids = await Promise.all(Array.from({ length: 100 }, sendTest))
  await redis.halt()
  await sleep(500)
  await redis.restart()
  const got = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
  await vi.waitFor(() => expect(ids.filter((id) => !got().has(String(id)))).toEqual([]), LEASE_OVER)
  await vi.waitFor(async () => {
    const { headers } = await apiClient.call('GET', `/webhooks/${hook['id']}/deliveries?status=pending`)
    expect(headers.get('x-total-count')).toBe('0')
  }, LEASE_OVER)
  const { headers } = await apiClient.call('GET', `/webhooks/${hook['id']}/deliveries?status=delivered`)
  expect(Number(headers.get('x-total-count'))).toBe(got().size)
  await next.stop()
}, 300_000)
