import { randomUUID } from 'node:crypto'
import { rowOf } from '@probity/contract/constants/jobs'
import { EXCLUDED_TRAITS_DEFAULT } from '@probity/contract/constants/validations'
import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { listDrift } from '@probity/database/billing/ledger'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { listTestResults } from '@probity/database/jobs/results/test-results'
import { confirmTestJob, recordEndedBatches } from '@probity/database/jobs/test-jobs'
import { getSecret } from '@probity/database/system/processes'
import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import { freePort } from '@probity/lab/services/daemon'
import { type Script, startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { RECENT_FOR_S } from '@probity/redis/cache'
import { recentKey } from '@probity/redis/keys'
import { openStorage } from '@probity/uploads/open-storage'
import { Redis } from 'ioredis'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import type { WorkerConfig } from '../server/config.ts'
import { start } from '../server/start.ts'
import { startTestWorld } from '../server/test-worker.ts'

const EGRESS = { name: 'probe.probity.example', heloName: 'probe.probity.example', mailFrom: 'bounce@probity.example' }
/** Addresses that begin with "a" have a mailbox. */
const HONEST: Script = { rcpt: (_peer, to) => (to.startsWith('a') ? '250 2.1.5 Ok' : '550 5.1.1 No such user here') }
const SOON = { timeout: 60_000, interval: 50 }

/** A mail server for `mail.example`, customers who confirm lists, and any number of workers. */
async function startLab(script: Script = HONEST) {
  const world = await startTestWorld()
  const port = await freePort()
  const server = await startScripted(script, { host: '127.93.0.1', port })
  whenDone(() => server.stop())
  await world.dns.put({ 'mail.example': { mx: [[10, 'mx.mail.example']] }, 'mx.mail.example': { a: ['127.93.0.1'] } })
  const environment = {
    policy: { port, allows: (address: string) => address.startsWith('127.93.') },
    providerLimits: PROVIDER_LIMITS,
  }
  const config = { ...world.config, egresses: [EGRESS] }
  const { db, accountId } = world

  async function startWorker(changes: Partial<WorkerConfig> = {}) {
    const worker = await start({ ...config, ...changes }, environment, world.log)
    whenDone(() => worker.stop())
    return worker
  }
  type Options = { mode?: 'live' | 'test'; maxAgeS?: number }
  async function confirm(lines: string[], uniqueCount: number, options: Options = {}) {
    const { key } = await openStorage(config.storage).save(one(lines.join('\n')))
    return (await confirmTestJob(db, accountId, { uniqueCount, storageKey: key, ...options })).id
  }
  const lookAt = (id: string) =>
    inTenant(db, accountId, async (trx) => {
      const job = await trx.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
      const results = await listTestResults(db, id)
      const { available, reserved, spent } = await trx.selectFrom('accounts').selectAll().executeTakeFirstOrThrow()
      return { job, results, credits: { available, reserved, spent } }
    })
  const completed = async (id: string) => {
    await vi.waitFor(async () => expect((await lookAt(id)).job.state).toBe('completed'), SOON)
    return lookAt(id)
  }
  return { world, server, config, startWorker, confirm, lookAt, completed }
}

async function* one(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

test('every address of a list gets a result at the row of its first occurrence and is charged once', async () => {
  const { world, startWorker, confirm, completed } = await startLab()
  await startWorker()
  const id = await confirm(
    [
      'email',
      'ada@mail.example',
      'bob@mail.example',
      '',
      'ADA@mail.example',
      'no.body.@mail.example',
      'x@missing.example',
      'no address',
    ],
    4,
  )
  const { results, credits, job } = await completed(id)
  expect(results.map(({ rowNo, email, status, subStatus }) => [rowOf(rowNo), email, status, subStatus])).toEqual([
    [2, 'ada@mail.example', 'valid', ''],
    [3, 'bob@mail.example', 'invalid', 'mailbox_not_found'],
    [6, 'no.body.@mail.example', 'invalid', 'syntax_error'],
    [7, 'x@missing.example', 'invalid', 'domain_not_found'],
  ])
  expect(JSON.parse(results[0]?.result ?? '')).toMatchObject({
    email: 'ada@mail.example',
    status: 'valid',
    details: { smtp_code: 250 },
  })
  expect(credits).toEqual({ available: 996, reserved: 0, spent: 4 })
  expect(job).toMatchObject({ doneCount: 4, refundedCount: 0, finishedAt: expect.any(Date) })
  expect(await asOwner(world.db, listDrift)).toEqual([])
})

test('greylisted addresses are retried from the same egress before the job is completed', async () => {
  const seen = new Set<string>()
  const { world, startWorker, confirm, completed, lookAt } = await startLab({
    rcpt(_peer, to) {
      if (!to.startsWith('a')) return '550 5.1.1 No such user'
      if (seen.has(to)) return '250 Ok'
      seen.add(to)
      return '450 4.2.0 Greylisted, try again in 1 second'
    },
  })
  await startWorker()
  const id = await confirm(['email', 'ada@mail.example', 'bob@mail.example'], 2)
  await vi.waitFor(async () => expect((await lookAt(id)).job.doneCount).toBe(1), SOON)
  const { rows: waiting } = await inTenant(world.db, world.accountId, (trx) =>
    sql`select * from job_queue join job_batches using (job_id, no)`.execute(trx),
  )
  expect(waiting).toMatchObject([
    { emails: ['ada@mail.example'], waitReason: 'greylisted', egress: EGRESS.name, deferrals: 1 },
  ])
  const { results, credits } = await completed(id)
  expect(results.map(({ status }) => status)).toEqual(['valid', 'invalid'])
  expect(credits).toEqual({ available: 998, reserved: 0, spent: 2 })
})

test('five hundred addresses at a server with few connections are all probed', {
  tags: ['long'],
}, async () => {
  const { startWorker, confirm, completed, server } = await startLab()
  await startWorker()
  const emails = Array.from({ length: 500 }, (_, n) => `a${n}@mail.example`)
  const { results } = await completed(await confirm(['email', ...emails], 500))
  expect(results.filter(({ status }) => status !== 'valid')).toEqual([])
  expect(server.connections()).toBeLessThan(60)
})

test('the slowest addresses of a batch do not delay the others', { tags: ['long'] }, async () => {
  const { world, startWorker, confirm, completed, lookAt } = await startLab({
    rcpt: (_peer, to) => ({
      reply: to.startsWith('a') ? '250 Ok' : '550 5.1.1 No such user',
      afterMs: to.startsWith('aslow') ? 9_000 : 0,
    }),
  })
  await startWorker()
  const id = await confirm(['email', 'x@missing.example', 'aslow@mail.example', 'y@missing.example'], 3)
  await vi.waitFor(async () => expect((await lookAt(id)).job.doneCount).toBe(2), { ...SOON, interval: 10 })
  const { job, credits } = await lookAt(id)
  expect([job.state, credits]).toEqual(['processing', { available: 997, reserved: 1, spent: 2 }])
  const { rows: pending } = await inTenant(world.db, world.accountId, (trx) =>
    sql`select * from job_queue join job_batches using (job_id, no)`.execute(trx),
  )
  expect(pending).toMatchObject([{ no: -1, emails: ['aslow@mail.example'], straggling: true, epoch: 1 }])
  const { results } = await completed(id)
  expect(results.map(({ rowNo, status }) => [rowOf(rowNo), status])).toEqual([
    [2, 'invalid'],
    [3, 'valid'],
    [4, 'invalid'],
  ])
})

test('two workers share a list, and batches that Redis lost are dispatched again', async () => {
  const { startWorker, confirm, completed, config, lookAt, world } = await startLab()
  await Promise.all([startWorker({ listSlots: 1 }), startWorker({ listSlots: 1 })])
  const emails = Array.from({ length: 900 }, (_, n) => `a${n}@mail${n % 9}.example`)
  const id = await confirm(['email', ...emails], 900)
  await vi.waitFor(async () => expect((await lookAt(id)).job.state).not.toBe('queued'), SOON)
  const redis = new Redis(config.redisUrl)
  whenDone(() => redis.disconnect())
  // Only our own keys: other tests use the same server.
  const keys = await redis.keys(`${config.queuePrefix}:batches:*`)
  if (keys.length > 0) await redis.del(keys)
  const { results, credits } = await completed(id)
  expect(results).toHaveLength(900)
  expect(credits.reserved).toBe(0)
  expect(await asOwner(world.db, listDrift)).toEqual([])
})

test('a worker that stops releases unfinished batches, and the next worker continues at once', async () => {
  let afterMs = 100
  const { startWorker, confirm, completed, server } = await startLab({
    rcpt: (_peer, to) => ({ reply: to.startsWith('a') ? '250 Ok' : '550 5.1.1 No such user', afterMs }),
  })
  const first = await startWorker()
  const emails = Array.from({ length: 300 }, (_, n) => `a${n}@mail.example`)
  const id = await confirm(['email', ...emails], 300)
  await vi.waitFor(() => expect(server.recipients.length).toBeGreaterThan(0), SOON)
  const stopped = first.stop()
  afterMs = 0
  await stopped
  await startWorker()
  const { results, credits } = await completed(id)
  expect([results.length, credits.spent, credits.reserved]).toEqual([300, 300, 0])
})

test('a resolver without a response is retried before a row ends unknown, and the credit is refunded', {
  tags: ['long'],
}, async () => {
  const { world, startWorker, confirm, completed } = await startLab()
  await recordEndedBatches(world.db)
  await startWorker()
  const { results, credits } = await completed(await confirm(['email', 'ada@servfail.example'], 1))
  expect(results).toMatchObject([{ status: 'unknown', subStatus: 'dns_failed' }])
  expect(credits).toEqual({ available: 1_000, reserved: 0, spent: 0 })
  const { rows: batches } = await asOwner(world.db, (trx) =>
    sql`select no_responses, deferrals, wait_reason from ended_batches order by no`.execute(trx),
  )
  expect(batches).toEqual([
    { noResponses: 0, deferrals: 0, waitReason: null },
    { noResponses: 1, deferrals: 0, waitReason: 'dns_failed' },
    { noResponses: 2, deferrals: 0, waitReason: 'dns_failed' },
  ])
})

test('a mail server without a response is retried before a row ends unknown', { tags: ['long'] }, async () => {
  let refusals = 0
  const { startWorker, confirm, completed } = await startLab({
    banner: () => (++refusals <= 2 ? 'hang_up' : '220 mx.mail.example ESMTP'),
    rcpt: () => '550 5.1.1 No such user here',
  })
  await startWorker()
  const { results, credits } = await completed(await confirm(['email', 'bob@mail.example'], 1))
  expect(results).toMatchObject([{ status: 'invalid', subStatus: 'mailbox_not_found' }])
  expect(credits).toEqual({ available: 999, reserved: 0, spent: 1 })
})

test('in test mode the local part determines each result, nothing is probed and nothing is charged', {
  tags: ['timed'],
}, async () => {
  const { startWorker, confirm, completed, server } = await startLab()
  await startWorker()
  const cases = {
    'ada@mail.example': ['unknown', 'sandbox_unmapped'],
    'valid@mail.example': ['valid', ''],
    'ada+mailbox-full@mail.example': ['risky', 'mailbox_full'],
    'slow-5s@mail.example': ['valid', ''],
    'error-402@mail.example': ['unknown', 'internal_error'],
    'greylisted@mail.example': ['valid', ''], // half a minute later
  }
  const emails = Object.keys(cases)
  const began = performance.now()
  const { results, credits } = await completed(await confirm(['email', ...emails], emails.length, { mode: 'test' }))
  expect(results.map(({ status, subStatus }) => [status, subStatus])).toEqual(Object.values(cases))
  expect(performance.now() - began).toBeGreaterThan(30_000)
  expect(credits).toEqual({ available: 1_000, reserved: 0, spent: 0 })
  expect(server.connections()).toBe(0)
})

test('a job uses recent results within its maximum age, and validates every address without one', async () => {
  const { world, config, startWorker, confirm, completed, server } = await startLab()
  const { db, accountId } = world
  const secret = await getSecret(db, 'recent_results')
  const redis = new Redis(config.redisUrl)
  whenDone(() => redis.disconnect())
  const manner = { ai: true, catchall: true, sendThreshold: 0.97, excludedTraits: [...EXCLUDED_TRAITS_DEFAULT] }
  const store = async (email: string, ageS: number) => {
    const { email: _, ...result } = pendingResult(email, 'not_probed')
    const text = JSON.stringify({ id: randomUUID(), ...result, status: 'risky', sub_status: 'mailbox_full' })
    await redis.set(recentKey(secret, accountId, email, manner), text, 'EX', RECENT_FOR_S - ageS)
  }
  await store('ada@mail.example', 60)
  await store('bob@mail.example', 7_200)
  await startWorker()
  const list = ['email', 'ada@MAIL.example', 'bob@mail.example', 'carl@mail.example']
  const statuses = async (options: { maxAgeS?: number }) => {
    const { results } = await completed(await confirm(list, 3, options))
    return results.map(({ status }) => status)
  }
  expect(await statuses({ maxAgeS: 3_600 })).toEqual(['risky', 'invalid', 'invalid'])
  expect(await statuses({ maxAgeS: RECENT_FOR_S })).toEqual(['risky', 'risky', 'invalid'])
  expect(server.connections()).toBeGreaterThan(0)
  expect(await statuses({ maxAgeS: 0 })).toEqual(['valid', 'invalid', 'invalid'])
  const { results, credits } = await completed(await confirm(list, 3))
  expect(results.map(({ status }) => status)).toEqual(['valid', 'invalid', 'invalid'])
  // A reused result is charged like any other.
  expect(credits).toEqual({ available: 988, reserved: 0, spent: 12 })

  const reused = (await completed(await confirm(list, 3, { maxAgeS: 3_600 }))).results[0]
  expect(JSON.parse(reused?.result ?? '')).toMatchObject({ email: 'ada@MAIL.example', sub_status: 'mailbox_full' })
  expect(JSON.parse(reused?.result ?? '')).not.toHaveProperty('id')
  await asOwner(db, (trx) => sql`update accounts set retention_days = 0 where id = ${accountId}`.execute(trx))
  expect(await statuses({ maxAgeS: 3_600 })).toEqual(['valid', 'invalid', 'invalid'])
})

test('a job whose file is missing fails, and its reserved credits are released', async () => {
  const { world, startWorker, confirm, lookAt } = await startLab()
  const id = await confirm(['email', 'ada@mail.example'], 1)
  await asOwner(world.db, (trx) => sql`delete from uploads`.execute(trx))
  await startWorker()
  await vi.waitFor(async () => expect((await lookAt(id)).job.state).toBe('failed'), SOON)
  expect((await lookAt(id)).credits).toEqual({ available: 1_000, reserved: 0, spent: 0 })
})
