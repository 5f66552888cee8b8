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

/** Long enough for a second line, if lists took it. */
const SECOND_LINE_MS = 3_000

test('a caller does not stand in line behind a list at the same mail server, which leaves a connection free', {
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
  const askedAt = { list: 0, caller: 0 }
  const rcpt = (_peer: unknown, to: string) => {
    if (to.startsWith('listed')) {
      askedAt.list ||= performance.now()
      return { reply: '550 5.1.1 User unknown', afterMs: SLOW_MS }
    }
    if (to.startsWith('ada')) askedAt.caller = performance.now()
    return to.startsWith('ada') ? '250 2.1.5 Ok' : '550 5.1.1 User unknown'
  }
  const server = await startScripted({ rcpt }, { host: HOST, port })
  whenDone(() => server.stop())

  const settings = listSettings(url, redis.url)
  await startWorkerHere({ settings, dnsPort: dns.port, smtpPort: port, allows: (address) => address === HOST })
  const api = await startApiProcess(settings)
  const [large, caller] = await Promise.all([createApiClient({ db, api }), createApiClient({ db, api })])

  await confirmList(api.url, large, [{ email: 'listed@busy.example' }, { email: 'listed@also-busy.example' }])
  await vi.waitFor(() => expect(askedAt.list).toBeGreaterThan(0), { timeout: 60_000, interval: 20 })
  await sleep(SECOND_LINE_MS)
  const { body } = await caller.call('POST', '/validation/single', { email: 'ada@busy.example', timeout: 30 })
  expect(body).toMatchObject({ status: 'valid' })
  expect(askedAt.caller).toBeLessThan(askedAt.list + SLOW_MS)
})
