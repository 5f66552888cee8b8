import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { startDns } from '@probity/lab/dns/start'
import { freePort } from '@probity/lab/services/daemon'
import { startRedis } from '@probity/lab/services/redis'
import { startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { expect, test, vi } from 'vitest'
import { startWorkerHere } from '../environment/in-process-worker.ts'
import { createApiClient } from '../environment/instance.ts'
import { confirmList, listSettings } from '../environment/jobs.ts'
import { startApiProcess } from '../environment/processes.ts'

const HOST = '127.95.0.1'
const SLOW_MS = 12_000

/** Long enough for the job to open a second connection, if it did. */
const SECOND_CONNECTION_MS = 3_000

test('a single validation does not wait for a job at the same mail server, because the job leaves a connection free', {
  tags: ['timed'],
}, async () => {
  const [{ url, db }, redis, port] = await Promise.all([createTestDatabase(), startRedis(), freePort()])
  whenDone(() => redis.stop())
  const dns = await startDns({
    names: {
      'busy.example': { mx: [[10, 'mx.busy.example']] },
      'also-busy.example': { mx: [[10, 'mx.busy.example']] },
      'mx.busy.example': { a: [HOST] },
    },
    faults: {},
  })
  whenDone(() => dns.stop())
  const probedAt = { list: 0, client: 0 }
  const rcpt = (_peer: unknown, to: string) => {
    if (to.startsWith('listed')) {
      probedAt.list ||= performance.now()
      return { reply: '550 5.1.1 User unknown', afterMs: SLOW_MS }
    }
    if (to.startsWith('ada')) probedAt.client = performance.now()
    return to.startsWith('ada') ? '250 2.1.5 Ok' : '550 5.1.1 User unknown'
  }
  const server = await startScripted({ rcpt }, { host: HOST, port })
  whenDone(() => server.stop())

  const settings = listSettings(url, redis.url)
  await startWorkerHere({ settings, dnsPort: dns.port, smtpPort: port, allows: (address) => address === HOST })
  const api = await startApiProcess(settings)
  const [jobOwner, client] = await Promise.all([createApiClient({ db, api }), createApiClient({ db, api })])

  await confirmList(api.url, jobOwner, [{ email: 'listed@busy.example' }, { email: 'listed@also-busy.example' }])
  await vi.waitFor(() => expect(probedAt.list).toBeGreaterThan(0), { timeout: 60_000, interval: 20 })
  await sleep(SECOND_CONNECTION_MS)
  const { body } = await client.call('POST', '/validation/single', { email: 'ada@busy.example', timeout: 30 })
  expect(body).toMatchObject({ status: 'valid' })
  expect(probedAt.client).toBeLessThan(probedAt.list + SLOW_MS)
})
