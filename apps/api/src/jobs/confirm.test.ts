import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { asOwner } from '@probity/database/connection/connect'
import { WAITING_FILES_MAX } from '@probity/database/jobs/jobs'
import { confirmTestJob } from '@probity/database/jobs/test-jobs'
import { openTestWebhook, readEvents } from '@probity/database/webhooks/test-webhooks'
import { startRedis } from '@probity/lab/services/redis'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { startTestApi, type TestClient, type TestResponse } from '../testing/test-api.ts'
import { booksOf, confirmList, copyUpload, csvOf, emailsOf, getJob, uploadList } from '../testing/test-jobs.ts'

const TAKEN_WITHIN_MS = 50_000
const AGAIN_AFTER_MS = 100

const api = await startTestApi({ config: { databaseConnections: 20 } })
const { db } = api
const caller = await api.openCaller({ credits: 1_000 })

function countJobs(accountId: string): Promise<number> {
  return asOwner(db, async (trx) => {
    const jobs = trx.selectFrom('jobs').select((of) => of.fn.countAll<number>().as('n'))
    return (await jobs.where('accountId', '=', accountId).executeTakeFirstOrThrow()).n
  })
}

/** Expects a rejection with this code and that nothing was stored. */
async function expectRefused(by: TestClient, confirming: () => Promise<TestResponse>, refusal: [number, string]) {
  const [books, jobs] = [await booksOf(db, by.accountId), await countJobs(by.accountId)]
  const { status, body } = await confirming()
  expect([status, body['code']]).toEqual(refusal)
  expect(await booksOf(db, by.accountId)).toEqual(books)
  expect(await countJobs(by.accountId)).toBe(jobs)
}

test('a confirmation turns an upload into a queued job, reserves its credits and keeps its file for a week', async () => {
  const by = await api.openCaller({ credits: 10 })
  const uploadId = await uploadList(by, csvOf([...emailsOf(3), 'PERSON0@example.com', '']))
  const { status, headers, body } = await confirmList(by, uploadId)

  expect([status, body]).toEqual([201, { id: expect.any(String), status: 'queued', livemode: true }])
  expect([headers['credits-charged'], headers['credits-remaining']]).toEqual(['0', '7'])
  expect(await booksOf(db, by.accountId)).toEqual({ available: 7, reserved: 3, spent: 0 })
  expect(await getJob(by, String(body['id']))).toMatchObject({ email_count: 4, unique_count: 3, duplicate_count: 1 })
  const { rows } = await asOwner(db, (trx) =>
    sql<{ days: number; expiresIn: number }>`
      select extract(epoch from u.expires_at - clock_timestamp()) / 86400 as days,
        j.expires_on - (j.created_at at time zone 'utc')::date as expires_in
      from jobs j join uploads u on u.id = j.upload_id where j.id = ${body['id']}`.execute(trx),
  )
  expect(Number(rows[0]?.days)).toBeCloseTo(7, 1)
  expect(rows[0]?.expiresIn).toBe(30)
})

test('an account without retention keeps a job for a day, and its file no longer', async () => {
  const by = await api.openCaller({ credits: 10 })
  await asOwner(db, (trx) => sql`update accounts set retention_days = 0 where id = ${by.accountId}`.execute(trx))
  const { body } = await confirmList(by, await uploadList(by, csvOf(emailsOf(1))))
  const { rows } = await asOwner(db, (trx) =>
    sql<{ days: number; isWithIt: boolean }>`
      select j.expires_on - (j.created_at at time zone 'utc')::date as days,
        u.expires_at = (j.expires_on + 1)::timestamp at time zone 'utc' as is_with_it
      from jobs j join uploads u on u.id = j.upload_id where j.id = ${body['id']}`.execute(trx),
  )
  expect(rows).toEqual([{ days: 1, isWithIt: true }])
})

test('a column other than the suggested one is counted first', async () => {
  const uploadId = await uploadList(caller, 'email,second\na@example.com,x@example.com\nb@example.com,X@example.com\n')
  const { status, body } = await confirmList(caller, uploadId, 'second')
  expect(status).toBe(201)
  const job = await getJob(caller, String(body['id']))
  expect(job).toMatchObject({ email_column: 'second', email_count: 2, unique_count: 1, credits: { reserved: 1 } })
})

test('a column suggested by its header is rejected if it contains no address', async () => {
  const uploadId = await uploadList(caller, 'name,email\nAda,soon\n')
  await expectRefused(caller, () => confirmList(caller, uploadId), [422, 'column_without_emails'])
})

test('the reference of a confirmation is returned in the job, its event stream and its webhooks', async () => {
  const by = await api.openCaller({ credits: 10 })
  const view = { accountId: by.accountId, mode: 'live' } as const
  await openTestWebhook(db, view, { events: ['job.paused'] })
  const uploadId = await uploadList(by, csvOf(emailsOf(1)))
  const reference = `${'ü'.repeat(199)}\0`
  const { status, body } = await confirmList(by, uploadId, 'email', { reference })
  expect(status).toBe(201)
  const stored = `${'ü'.repeat(199)}\u0001` // PostgreSQL cannot store NUL
  expect(await getJob(by, String(body['id']))).toMatchObject({ reference: stored })
  for (const action of ['pause', 'cancel']) {
    await by.call({ method: 'POST', url: `/api/v1/bulk/jobs/${body['id']}/${action}` })
  }
  const [event] = await readEvents(db, by.accountId)
  expect(event?.body).toMatchObject({ type: 'job.paused', data: { reference: stored } })
  const stream = await by.call({ method: 'GET', url: `/api/v1/bulk/jobs/${body['id']}/events` })
  expect(stream.text).toContain(JSON.stringify(stored))
  const plain = await confirmList(by, await uploadList(by, csvOf(emailsOf(1))))
  expect(await getJob(by, String(plain.body['id']))).toMatchObject({ reference: null })
  const tooLong = { reference: 'x'.repeat(201) }
  await expectRefused(by, () => confirmList(by, uploadId, 'email', tooLong), [400, 'invalid_request'])
})

test.each([
  [{}, null],
  [{ max_age_s: 0 }, 0],
  [{ max_age_s: 3_600 }, 3_600],
  [{ max_age_s: 1e12 }, 86_400],
])('a confirmation with %o stores the maximum age %s', async (options, stored) => {
  const uploadId = await uploadList(caller, csvOf(emailsOf(1)))
  const { status, body } = await confirmList(caller, uploadId, 'email', options)
  expect(status).toBe(201)
  const job = await asOwner(db, (trx) =>
    trx.selectFrom('jobs').select('maxAgeS').where('id', '=', String(body['id'])).executeTakeFirstOrThrow(),
  )
  expect(job.maxAgeS).toBe(stored)
})

test.each([-1, 1.5, '60'])('a maximum age of %o is rejected', async (max_age_s) => {
  const uploadId = await uploadList(caller, csvOf(emailsOf(1)))
  await expectRefused(caller, () => confirmList(caller, uploadId, 'email', { max_age_s }), [400, 'invalid_request'])
})

test('an unknown column is rejected without repeating its name', async () => {
  const uploadId = await uploadList(caller, csvOf(emailsOf(1)))
  await expectRefused(caller, () => confirmList(caller, uploadId, 'canary'), [422, 'unknown_column'])
  expect((await confirmList(caller, uploadId, 'canary')).text).not.toContain('canary')
})

test('a column without values is rejected', async () => {
  const uploadId = await uploadList(caller, 'email,second\na@example.com,\nb@example.com, \n')
  await expectRefused(caller, () => confirmList(caller, uploadId, 'second'), [422, 'column_without_emails'])
})

test('more emails than the plan allows are rejected, also in another column and after a plan change', async () => {
  const by = await api.openCaller({ credits: 20_000 })
  const rows = emailsOf(10_001).map((email) => `${email},${email}`)
  const uploadId = await uploadList(by, `email,second\n${rows.join('\n')}\n`)
  await asOwner(db, (trx) => sql`update accounts set plan = 'starter' where id = ${by.accountId}`.execute(trx))
  for (const column of ['email', 'second']) {
    await expectRefused(by, () => confirmList(by, uploadId, column), [422, 'too_many_emails'])
  }
})

test.each(['email', 'second'])('as many emails as the plan allows are accepted in the column %s', async (column) => {
  const plan = `three-${column}`
  await asOwner(db, (trx) =>
    sql`insert into plans select ${plan}, api_access, ai_enhancement, catchall_detection, refund_unknown,
        requests_per_window, window_s, interactive_in_flight, 3 from plans where name = 'payg'`.execute(trx),
  )
  const by = await api.openCaller({ plan, credits: 3 })
  const uploadId = await uploadList(
    by,
    `email,second\n${emailsOf(3)
      .map((email) => `${email},${email}\n`)
      .join('')}`,
  )
  expect((await confirmList(by, uploadId, column)).status).toBe(201)
})

test('the limit of waiting rows per account rejects a confirmation, keeps the upload and reserves nothing', async () => {
  const by = await api.openCaller({ plan: 'starter', credits: 1_000_000 })
  const large = await confirmTestJob(db, by.accountId, { uniqueCount: WAITING_FILES_MAX * 10_000 - 1 })
  const last = await uploadList(by, csvOf(emailsOf(1)))
  expect((await confirmList(by, last)).status).toBe(201)

  const over = await uploadList(by, csvOf(emailsOf(1)))
  await expectRefused(by, () => confirmList(by, over), [429, 'queue_limit_reached'])
  expect((await confirmList(by, over)).headers['retry-after']).toBe('60')
  expect((await confirmList(caller, await uploadList(caller, csvOf(emailsOf(1))))).status).toBe(201)

  await by.call({ method: 'POST', url: `/api/v1/bulk/jobs/${large.id}/cancel` })
  expect((await confirmList(by, over)).status).toBe(201)
})

test('a missing, expired or foreign upload and one of a test key return the same 404', async () => {
  const expired = await uploadList(caller, csvOf(emailsOf(1)))
  await asOwner(db, (trx) => sql`update uploads set expires_at = clock_timestamp() where id = ${expired}`.execute(trx))
  const foreign = await uploadList(await api.openCaller(), csvOf(emailsOf(1)))
  const sandbox = await uploadList(await openSandbox(caller), csvOf(emailsOf(1)))
  const texts = new Set<string>()
  for (const uploadId of [randomUUID(), expired, foreign, sandbox]) {
    await expectRefused(caller, () => confirmList(caller, uploadId), [404, 'not_found'])
    texts.add((await confirmList(caller, uploadId)).text.replace(/req_[\w-]+/, ''))
  }
  expect(texts.size).toBe(1)
})

/** A test key of the same account. */
async function openSandbox(of: TestClient): Promise<TestClient> {
  const url = '/api/v1/keys'
  const payload = { name: 'sandbox', livemode: false, scopes: ['jobs:write'] }
  const { body } = await of.call({ method: 'POST', url, payload })
  const key = String(body['key'])
  return { ...of, key, call: (request) => of.call({ ...request, headers: { ...request.headers, 'x-api-key': key } }) }
}

test('a confirmation is rejected while credits are insufficient, and accepted afterwards', async () => {
  const by = await api.openCaller({ credits: 2 })
  const uploadId = await uploadList(by, csvOf(emailsOf(3)))
  await expectRefused(by, () => confirmList(by, uploadId), [402, 'insufficient_credits'])
  expect((await confirmList(by, uploadId)).body['detail']).toContain('more than the 2 credits')
  await asOwner(db, (trx) =>
    sql`select set_config('app.account_id', ${by.accountId}, true), ledger_post('grant', 1, gen_random_uuid())`.execute(
      trx,
    ),
  )
  expect((await confirmList(by, uploadId)).status).toBe(201)
  expect(await booksOf(db, by.accountId)).toEqual({ available: 0, reserved: 3, spent: 0 })
})

test("a confirmation beyond the key's monthly cap is rejected", async () => {
  const by = await api.openCaller({ credits: 10, key: { monthlyCap: 2 } })
  const uploadId = await uploadList(by, csvOf(emailsOf(3)))
  await expectRefused(by, () => confirmList(by, uploadId), [402, 'api_key_cap_reached'])
})

test('a confirmation requires the scope', async () => {
  const by = await api.openCaller({ key: { scopes: ['validations:write'] } })
  expect((await confirmList(by, randomUUID())).body['code']).toBe('missing_scope')
})

test('a repeated confirmation returns 200 with the current job, and another column is rejected', async () => {
  const uploadId = await uploadList(caller, 'email,second\na@example.com,b@example.com\n')
  const first = await confirmList(caller, uploadId)
  const { id } = first.body
  expect([first.status, first.body['status']]).toEqual([201, 'queued'])
  const control = (action: string) => caller.call({ method: 'POST', url: `/api/v1/bulk/jobs/${id}/${action}` })
  const again = async () => {
    const { status, body } = await confirmList(caller, uploadId)
    return [status, body]
  }
  expect(await again()).toEqual([200, { id, status: 'queued', livemode: true }])
  await control('pause')
  expect(await again()).toEqual([200, { id, status: 'paused', livemode: true }])
  await control('cancel')
  const books = await booksOf(db, caller.accountId)
  expect(await again()).toEqual([200, { id, status: 'canceled', livemode: true }])
  expect(await booksOf(db, caller.accountId)).toEqual(books)
  await expectRefused(caller, () => confirmList(caller, uploadId, 'second'), [409, 'upload_already_confirmed'])
})

test('a repeated confirmation works after the upload was deleted', async () => {
  const uploadId = await uploadList(caller, csvOf(emailsOf(1)))
  const first = await confirmList(caller, uploadId)
  await asOwner(db, (trx) => sql`delete from uploads where id = ${uploadId}`.execute(trx))
  const again = await confirmList(caller, uploadId)
  expect([again.status, again.text]).toEqual([200, first.text])
})

test('an idempotency key replays the response, and is rejected for another upload', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  const confirm = (uploadId: string) => {
    const payload = { upload_id: uploadId, email_column: 'email' }
    return caller.call({ method: 'POST', url: '/api/v1/bulk/upload/confirm', payload, headers })
  }
  const uploadId = await uploadList(caller, csvOf(emailsOf(1)))
  const first = await confirm(uploadId)
  await caller.call({ method: 'POST', url: `/api/v1/bulk/jobs/${first.body['id']}/cancel` })
  const again = await confirm(uploadId)
  expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([201, first.text, 'true'])
  const other = await confirm(await uploadList(caller, csvOf(emailsOf(2))))
  expect([other.status, other.body['code']]).toEqual([422, 'idempotency_mismatch'])
})

/** Repeats a request that was rejected with 503, as a client would. */
async function untilTaken(send: () => Promise<TestResponse>): Promise<TestResponse> {
  const until = performance.now() + TAKEN_WITHIN_MS
  while (performance.now() < until) {
    const answer = await send()
    if (answer.status !== 503) return answer
    await setTimeout(AGAIN_AFTER_MS)
  }
  throw new Error('never taken up')
}

test('a hundred concurrent confirmations make one job, one reservation and one response with 201', async () => {
  const by = await api.openCaller({ credits: 1_000 })
  const uploadId = await uploadList(by, csvOf(emailsOf(7)))
  const answers = await Promise.all(Array.from({ length: 100 }, () => untilTaken(() => confirmList(by, uploadId))))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(99)
  expect(await countJobs(by.accountId)).toBe(1)
  expect(await booksOf(db, by.accountId)).toEqual({ available: 993, reserved: 7, spent: 0 })
  const reservations = await asOwner(db, (trx) =>
    trx
      .selectFrom('ledger')
      .select('subject')
      .where('accountId', '=', by.accountId)
      .where('kind', '=', 'reserve')
      .execute(),
  )
  expect(reservations).toEqual([{ subject: answers[0]?.body['id'] }])
})

test('of two hundred concurrent confirmations only those that the balance covers are accepted', async () => {
  const by = await api.openCaller({ credits: 3 * 37 + 2 })
  const uploadId = await uploadList(by, csvOf(emailsOf(3)))
  const copies = await copyUpload(api, uploadId, 200)
  const answers = await Promise.all(copies.map((id) => untilTaken(() => confirmList(by, id))))
  const taken = answers.filter(({ status }) => status === 201)
  const refused = answers.filter(({ body }) => body['code'] === 'insufficient_credits')
  expect([taken.length, refused.length]).toEqual([37, 163])
  expect(await countJobs(by.accountId)).toBe(37)
  expect(await booksOf(db, by.accountId)).toEqual({ available: 2, reserved: 111, spent: 0 })
})

test('a connection that breaks before the commit leaves neither job nor reservation, and a retry makes both', async () => {
  const by = await api.openCaller({ credits: 5 })
  // After the 200 confirmations above, lists are rejected with 503 until the process is less busy.
  const uploadId = await vi.waitFor(() => uploadList(by, csvOf(emailsOf(2))))
  // The lock makes the reservation wait, after the job was inserted.
  const broken = await asOwner(db, async (trx) => {
    await sql`select from accounts where id = ${by.accountId} for no key update`.execute(trx)
    const confirming = confirmList(by, uploadId)
    await expect
      .poll(
        async () => {
          const { rows } = await sql<{ pid: number }>`
            select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
            trx,
          )
          for (const { pid } of rows) await sql`select pg_terminate_backend(${pid})`.execute(trx)
          return rows.length
        },
        { timeout: 4_000 },
      )
      .toBeGreaterThan(0)
    return confirming
  })
  expect(broken.status).toBeGreaterThanOrEqual(500)
  expect(await countJobs(by.accountId)).toBe(0)
  expect(await booksOf(db, by.accountId)).toEqual({ available: 5, reserved: 0, spent: 0 })
  expect((await confirmList(by, uploadId)).status).toBe(201)
  expect(await booksOf(db, by.accountId)).toEqual({ available: 3, reserved: 2, spent: 0 })
})

test('a confirmation works without Redis', async () => {
  const redis = await startRedis()
  const without = await startTestApi({ config: { redisUrl: redis.url } })
  const by = await without.openCaller({ credits: 5 })
  const uploadId = await uploadList(by, csvOf(emailsOf(2)))
  await redis.stop()
  const { status, body } = await confirmList(by, uploadId)
  expect(status).toBe(201)
  expect(await getJob(by, String(body['id']))).toMatchObject({ status: 'queued', credits: { reserved: 2 } })
})

test('a sandbox job costs nothing and only test keys see it', async () => {
  const by = await api.openCaller({ credits: 5 })
  const sandbox = await openSandbox(by)
  const { status, body } = await confirmList(sandbox, await uploadList(sandbox, csvOf(emailsOf(9))))
  expect([status, body['livemode']]).toEqual([201, false])
  expect(await booksOf(db, by.accountId)).toEqual({ available: 5, reserved: 0, spent: 0 })
  const url = `/api/v1/bulk/jobs/${body['id']}`
  expect((await sandbox.call({ method: 'GET', url })).body).toMatchObject({
    unique_count: 9,
    livemode: false,
    credits: { reserved: 0, used: 0, refunded: 0, charged: 0 },
  })
  expect((await by.call({ method: 'GET', url })).status).toBe(404)
})
