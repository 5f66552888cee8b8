import type { Evidence } from '@probity/contract/constants/validations'
import { asOwner } from '@probity/database/connection/connect'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { startDns } from '@probity/lab/dns/start'
import type { Names } from '@probity/lab/dns/zone-file'
import { freePort } from '@probity/lab/services/daemon'
import { type Script, startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { connectWithRetries } from '@probity/redis/connection'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { type ApiClient, createApiClient } from '../environment/instance.ts'
import { listSettings, startTaskWorker } from '../environment/jobs.ts'
import { startApiProcess } from '../environment/processes.ts'
import { startOwnRedis } from '../environment/redis.ts'

const ADDRESS_BASE = '127.97'
const EVIDENCE_BYTES_MAX = 4_096
const SETTLED = { timeout: 170_000, interval: 500 }

/** A mail server that sends as much as the protocol limits of a client allow: almost 64 KiB of greeting, and of each reply to RCPT. */
const LONG_REPLIES: Script = {
  banner: () => longReply(220),
  rcpt: (_peer, to) => longReply(to.startsWith('user') ? 250 : 550),
}

function longReply(code: number): string {
  const line = 'No mail server needs this many words. '.repeat(13)
  return `${`${code}-${line}\n`.repeat(126)}${code} ${line}`
}

/**
 * The service with mail servers that send long replies, one for each domain, and a Redis of 32 MB that evicts nothing.
 */
async function startBesideLongReplies(domainCount: number) {
  const port = await freePort()
  const domains = Array.from({ length: domainCount }, (_, n) => `long-${n}.example`)
  const names: Names = {}
  for (const [n, domain] of domains.entries()) {
    const host = `${ADDRESS_BASE}.0.${n + 1}`
    Object.assign(names, { [domain]: { mx: [[10, `mx.${domain}`]] }, [`mx.${domain}`]: { a: [host] } })
    const server = await startScripted(LONG_REPLIES, { host, port })
    whenDone(() => server.stop())
  }
  const dns = await startDns({ names, faults: {} })
  whenDone(() => dns.stop())
  const [database, redisUrl] = await Promise.all([createTestDatabase(), startOwnRedis()])
  const redis = connectWithRetries(redisUrl)
  whenDone(() => redis.disconnect())
  await redis.config('SET', 'maxmemory', '32mb')

  const settings = listSettings(database.url, redisUrl)
  const task = {
    settings: {
      ...settings,
      DNS_SERVERS: `127.0.0.1:${dns.port}`,
      SMTP_HELO_NAME: 'probe.probity.example',
      SMTP_MAIL_FROM: 'bounce@probity.example',
    },
    smtpPort: port,
    addressBase: ADDRESS_BASE,
  }
  const worker = await startTaskWorker(task, { flags: ['--max-old-space-size=384'] })
  const api = await startApiProcess(settings)
  const apiClient = await createApiClient({ db: database.db, api }, { credits: 10_000 })
  return { ...database, redis, worker, apiClient, domains }
}

type Running = Awaited<ReturnType<typeof startBesideLongReplies>>

async function validateBulk({ call }: ApiClient, domains: string[], { count, list }: { count: number; list: number }) {
  const emails = Array.from({ length: count }, (_, n) => `user${list}.${n}@${domains[n % domains.length]}`)
  const { status } = await call('POST', '/validation/bulk', { emails, timeout: 25 })
  expect(status).toBe(200)
}

/** Validation continues for addresses without a result at the time of the response. */
async function untilSettled({ db }: Running, count: number): Promise<void> {
  const countSettled = () =>
    asOwner(db, (trx) =>
      sql<{ n: number }>`select count(*)::integer as n from validations where state = 'final'`.execute(trx),
    )
  await vi.waitFor(async () => expect((await countSettled()).rows[0]?.n).toBe(count), SETTLED)
}

async function expectBounded({ db, redis, worker }: Running): Promise<void> {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ evidence: Evidence[] }>`select result -> 'evidence' as evidence from validations`.execute(trx),
  )
  const sizes = rows.map(({ evidence }) => Buffer.byteLength(JSON.stringify(evidence)))
  expect(Math.max(...sizes)).toBeGreaterThan(1_000)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(EVIDENCE_BYTES_MAX)
  expect(await redis.dbsize()).toBeGreaterThan(100)
  expect(await redis.info('errorstats')).not.toContain('OOM')
  expect((await worker.stop()).code).toBe(0)
}

test('400 addresses at a server with 64 KiB replies leave a Redis of 32 MB writable and at most 4 KiB of evidence each', async () => {
  const running = await startBesideLongReplies(1)
  await validateBulk(running.apiClient, running.domains, { count: 400, list: 0 })
  await untilSettled(running, 400)
  await expectBounded(running)
})

test('6,000 addresses at a server with 64 KiB replies leave a Redis of 32 MB writable and at most 4 KiB of evidence each', {
  tags: ['long'],
  timeout: 400_000,
}, async () => {
  const running = await startBesideLongReplies(1)
  for (const list of Array(6).keys()) {
    await validateBulk(running.apiClient, running.domains, { count: 1_000, list })
    await untilSettled(running, 1_000 * (list + 1))
  }
  await expectBounded(running)
})

test('a worker with a 384 MB heap survives three bulk requests of 1,000 addresses at 60 servers with 64 KiB replies', {
  tags: ['long'],
  timeout: 300_000,
}, async () => {
  const running = await startBesideLongReplies(60)
  const lists = [0, 1, 2].map((list) => validateBulk(running.apiClient, running.domains, { count: 1_000, list }))
  await Promise.all(lists)
  await untilSettled(running, 3_000)
  await expectBounded(running)
})
