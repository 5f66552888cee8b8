import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@probity/database/test-database'
import { HABITS } from '@probity/engine/mailbox/data/habits'
import { startDns } from '@probity/lab/dns/start'
import { freePort } from '@probity/lab/services/daemon'
import { startRedis } from '@probity/lab/services/redis'
import { startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { readConfig } from '@probity/worker/config'
import { openLog } from '@probity/worker/log'
import { start } from '@probity/worker/start'
import { destination } from 'pino'
import { expect, inject, test, vi } from 'vitest'
import { confirmList, listSettings } from './test-lists.ts'
import { startApiProcess } from './test-process.ts'
import { openCustomer } from './test-product.ts'

const HOST = '127.95.0.1'
const SLOW_MS = 12_000

/** Long enough for a second line, if lists took it. */
const SECOND_LINE_MS = 3_000

test('a caller does not stand in line behind a list at the same mail server, which leaves a connection free', async () => {
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
  const config = readConfig({
    ...settings,
    DNS_SERVERS: `127.0.0.1:${dns.port}`,
    SMTP_HELO_NAME: 'probe.probity.example',
    SMTP_MAIL_FROM: 'bounce@probity.example',
  })
  const log = openLog('debug', destination({ dest: join(inject('logFolder'), `worker-${port}.log`), sync: true }))
  const policy = { port, allows: (address: string) => address === HOST }
  const worker = await start(config, { policy, habits: HABITS }, log)
  whenDone(() => worker.stop())
  const api = await startApiProcess(settings)
  const [large, caller] = await Promise.all([openCustomer({ db, api }), openCustomer({ db, api })])

  await confirmList(api.url, large, [{ email: 'listed@busy.example' }, { email: 'listed@also-busy.example' }])
  await vi.waitFor(() => expect(askedAt.list).toBeGreaterThan(0), { timeout: 60_000, interval: 20 })
  await sleep(SECOND_LINE_MS)
  const { body } = await caller.call('POST', '/validation/single', { email: 'ada@busy.example', timeout: 30 })
  expect(body).toMatchObject({ status: 'valid' })
  expect(askedAt.caller).toBeLessThan(askedAt.list + SLOW_MS)
}, 120_000)
