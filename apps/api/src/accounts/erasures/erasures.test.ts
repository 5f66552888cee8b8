import { randomUUID } from 'node:crypto'
import type { KeyScope } from '@probity/contract/constants/keys'
import type { ErasureCounts } from '@probity/contract/schemas/accounts'
import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { listLedgerMismatches } from '@probity/database/billing/reconciliation'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { deferResult, finishValidation, openValidations } from '@probity/database/validations/validations'
import { createRecentResults } from '@probity/redis/cache'
import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { ALL_FEATURES } from '../../http/validation-options.ts'
import { startTestApi, type TestClient } from '../../testing/test-api.ts'
import { findInFiles, findInRedis, findInResults, findText } from '../../testing/test-find-text.ts'
import { startClaiming } from '../../testing/test-plain-worker.ts'
import { keepList } from '../../testing/test-results.ts'
import { openEraser } from './erasures.ts'

const api = await startTestApi()

const NOTHING: ErasureCounts = {
  validations: 0,
  job_results: 0,
  job_batches: 0,
  upload_rows: 0,
  uploads: 0,
  recent_results: 0,
  idempotency_records: 0,
  feedback: 0,
  overrides: 0,
  webhook_events: 0,
}

const newEmail = () => `vera-${randomUUID()}@example.com`

async function send(by: TestClient, method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object, headers = {}) {
  const answer = await by.call({ method, url: `/api/v1${url}`, headers, ...(payload && { payload }) })
  expect([url, answer.status, answer.status < 300 ? '' : answer.text]).toEqual([url, answer.status, ''])
  return answer
}

function erase(by: TestClient, email: string) {
  return by.call({ method: 'POST', url: '/api/v1/erasures', payload: { email } })
}

async function countsOf(by: TestClient, email: string): Promise<unknown> {
  const { status, body } = await erase(by, email)
  expect([status, Object.keys(body)]).toEqual([200, ['erased_at', 'counts']])
  return body['counts']
}

async function upload(by: TestClient, content: string, filename = 'list.csv'): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([content]), filename)
  const { body } = await by.call({ method: 'POST', url: '/api/v1/bulk/upload/preview', payload: form })
  return String(body['upload_id'])
}

async function confirm(by: TestClient, content: string): Promise<string> {
  const payload = { upload_id: await upload(by, content), email_column: 'email' }
  return String((await send(by, 'POST', '/bulk/upload/confirm', payload)).body['id'])
}

/** A validation whose client did not wait for the result, and that has ended: a webhook event has its result. */
async function endOne(accountId: string, email: string, suggestion: string | null = null): Promise<string> {
  const row = { id: randomUUID(), email, emailKey: email }
  await inTenant(api.db, accountId, async (trx) => {
    const opened = await openValidations(trx, { accountId, keyId: null, retentionDays: 30, group: row.id }, [row])
    const ref = opened.kind === 'opened' ? opened.refs[0] : undefined
    if (ref === undefined) throw new Error('not opened')
    await deferResult(trx, ref)
    const result = { ...pendingResult(email, 'not_probed'), did_you_mean: suggestion }
    await finishValidation(trx, ref, { conclusive: true, result })
  })
  return row.id
}

async function saveRecent(by: TestClient, email: string): Promise<void> {
  const { rows } = await asOwner(api.db, (trx) =>
    sql<{ sendThreshold: number; excludedTraits: string[] }>`
      select send_threshold, excluded_traits from accounts where id = ${by.accountId}`.execute(trx),
  )
  const account = { accountId: by.accountId, ai: true, catchall: true, ...rows[0] } as Parameters<
    typeof api.services.recentKeyOf
  >[0]
  const key = api.services.recentKeyOf(account, email, ALL_FEATURES) ?? ''
  await createRecentResults(api.services.redis).save([{ key, text: '{}' }])
}

/** An account that has stored data about the address in every possible place, in live and test mode. */
async function openUsed(email: string) {
  const by = await api.openCaller({ credits: 100 })
  const loud = email.toUpperCase()
  await send(by, 'POST', '/webhooks', { url: 'https://hooks.example.com/' })
  await send(by, 'POST', '/overrides', { action: 'block', targets: [loud] })
  await send(by, 'POST', '/overrides', { action: 'allow', targets: ['example.com'], note: `asked by ${email}` })
  const worker = startClaiming(api.db)
  await Promise.all([
    send(by, 'POST', '/validation/single', { email, timeout: 1 }, { 'idempotency-key': 'once' }),
    send(by, 'POST', '/validation/single', { email: loud, timeout: 1, ai: false }),
    send(by, 'POST', '/validation/single', { email: `Vera <${email}>`, timeout: 1 }),
  ])
  // Waits for the result of the first request, which has the same address.
  await send(by, 'POST', '/validation/bulk', { emails: [loud, 'other@example.com'], timeout: 1 })
  await worker.stop()
  await endOne(by.accountId, email)
  await endOne(by.accountId, email.replace('.com', '.con'), email)
  await saveRecent(by, email)
  await send(by, 'POST', '/feedback', { messages: [{ email, delivery: 'delivered' }] })
  const list = `name,email,boss\nAda,${loud},x\nBo,vobo@example.com,see ${email}\nCy,Vera V. <${email}>,y\n`
  const jobId = await keepList(api, { content: list, by, isOrdered: true, filename: `${email}.csv` })
  await send(by, 'PATCH', `/bulk/jobs/${jobId}`, { name: `List of ${email}` })
  await asOwner(api.db, (trx) =>
    sql`update jobs set tags = ${['kept', `of ${email}`, 'too']} where id = ${jobId}`.execute(trx),
  )
  await keepList(api, { content: `email\n${email}\nvada@example.com\n`, by, mode: 'test' })
  // The jobs of keepList have no transactions in the ledger.
  await asOwner(api.db, (trx) =>
    sql`update jobs set credits_per_email = 0 where account_id = ${by.accountId}`.execute(trx),
  )
  const kept = await upload(by, 'email\nvada@example.com\n')
  const draft = await upload(by, `name,email\n${email},vada@example.com\n`)
  return { by, jobId, kept, draft }
}

/** Data that an erasure must not change. */
async function readBooks(accountId: string) {
  const read = (table: string) =>
    asOwner(api.db, (trx) =>
      sql<{ row: string }>`
        select t::text as row from ${sql.table(table)} t where account_id = ${accountId} order by 1`.execute(trx),
    )
  const tables = ['ledger', 'verdict_days', 'job_counts']
  const rows = await Promise.all(tables.map(async (table) => (await read(table)).rows))
  const { rows: account } = await asOwner(api.db, (trx) =>
    sql`
      select a.available, a.reserved, a.spent, sum(u.credits_used) as used, sum(u.credits_refunded) as refunded
      from accounts a left join usage_days u on u.account_id = a.id where a.id = ${accountId} group by a.id`.execute(
      trx,
    ),
  )
  const { rows: jobs } = await asOwner(api.db, (trx) =>
    sql`select row_count, email_count, unique_count, done_count from jobs where account_id = ${accountId} order by id`.execute(
      trx,
    ),
  )
  const faults = await asOwner(api.db, (trx) => listLedgerMismatches(trx, { accountId }))
  return { rows, account, jobs, faults }
}

async function findEverywhere(email: string) {
  const [tables, chunks, files] = [await findText(api, email), await findInResults(api, email), findInFiles(api, email)]
  return { tables, chunks, files: files.length, redis: await findInRedis(api, email) }
}

test('an erasure leaves the address in no table, Redis key or stored file, and no other data changes', async () => {
  const email = newEmail()
  const { by, kept, draft } = await openUsed(email)
  const before = await findEverywhere(email)
  expect(before.tables).toEqual(
    expect.arrayContaining([
      'idempotency_records',
      'jobs',
      'overrides',
      'uncollected_results',
      'uploads',
      'validations',
      'webhook_events',
    ]),
  )
  expect([before.chunks, before.files]).toEqual([2, 6]) // three files with their previews
  const books = await readBooks(by.accountId)
  expect(books.faults).toEqual([])

  const counts = { validations: 4, job_results: 2, upload_rows: 4, uploads: 1, recent_results: 1 }
  const others = { idempotency_records: 1, feedback: 1, overrides: 1, job_batches: 0 }
  expect(await countsOf(by, ` ${email.replace('vera', 'VeRa')}`)).toEqual({
    ...counts,
    ...others,
    webhook_events: expect.any(Number),
  })

  expect(await findEverywhere(email)).toEqual({ tables: [], chunks: 0, files: 0, redis: [] })
  expect(await findText(api, email.split('@')[0] ?? '')).toEqual(['uncollected_results', 'validations']) // of the typo
  expect(await readBooks(by.accountId)).toEqual(books)
  expect(await countsOf(by, email)).toEqual(NOTHING)
  const status = async (id: string) => (await by.call({ method: 'GET', url: `/api/v1/bulk/uploads/${id}` })).status
  expect([await status(kept), await status(draft)]).toEqual([200, 404])
}, 120_000)

test('exports of a job keep the row and the verdict of an erased address', async () => {
  const email = newEmail()
  const { by, jobId } = await openUsed(email)
  await countsOf(by, email)
  const sheet = await send(by, 'GET', `/bulk/jobs/${jobId}/results?format=csv`)
  const rows = parse(sheet.text, { columns: true, bom: true }) as Record<string, string>[]
  const statuses = rows.map((row) => [row['name'], row['email'], row['boss'], row['probity_status']])
  expect(statuses).toEqual([
    ['', '', '', 'valid'],
    ['Bo', 'vobo@example.com', 'erased', 'valid'],
    ['', 'erased', '', ''], // a repetition has no result of its own
  ])
  const job = await send(by, 'GET', `/bulk/jobs/${jobId}`)
  expect(job.body).toMatchObject({ name: 'erased.csv', filename: 'erased.csv', tags: ['kept', 'too'] })
})

test('the audit log records an erasure with its counts and without the address', async () => {
  const email = newEmail()
  const { by } = await openUsed(email)
  await countsOf(by, email)
  const { rows } = await asOwner(api.db, (trx) =>
    sql<{ action: string; actorId: string; subjectId: null; subjectName: null; changes: object }>`
      select action, actor_id, subject_id, subject_name, changes from audit_entries
      where account_id = ${by.accountId} order by id desc limit 1`.execute(trx),
  )
  const [entry] = rows
  expect(entry).toMatchObject({ action: 'erasure.created', actorId: by.keyId, subjectId: null, subjectName: null })
  expect(entry?.changes).toMatchObject({ validations: [null, 4], job_results: [null, 2], overrides: [null, 1] })
})

test('an erasure does not change the data of another account', async () => {
  const email = newEmail()
  const [{ by }, other] = [await openUsed(email), await openUsed(email)]
  const ofOther = async () => {
    const tables = [
      'validations',
      'idempotency_records',
      'overrides',
      'webhook_events',
      'uncollected_results',
      'uploads',
    ]
    const rows = await asOwner(api.db, async (trx) => {
      const counts: number[] = []
      for (const table of [...tables, 'outcome_marks']) {
        const { rows } = await sql<{ n: number }>`
          select count(*) as n from ${sql.table(table)} where account_id = ${other.by.accountId}`.execute(trx)
        counts.push(rows[0]?.n ?? 0)
      }
      return counts
    })
    return [rows, (await send(other.by, 'GET', `/bulk/jobs/${other.jobId}/results?format=csv`)).text]
  }
  const before = await ofOther()
  await countsOf(by, email)
  expect(await ofOther()).toEqual(before)
  expect(await countsOf(other.by, email)).toMatchObject({ validations: 4, job_results: 2, uploads: 1 })
})

test.each(['queued', 'planning', 'processing', 'paused'])(
  'an address in a %s job is a 409, and nothing is deleted',
  async (state) => {
    const email = newEmail()
    const { by } = await openUsed(email)
    const jobId = await confirm(by, `email,boss\nvada@example.com,\nvobo@example.com,"Vera <${email}>"\n`)
    const change = state === 'paused' ? sql`paused_at = now()` : sql`state = ${state}`
    await asOwner(api.db, (trx) => sql`update jobs set ${change} where id = ${jobId}`.execute(trx))
    const before = await findEverywhere(email)
    const { status, body } = await erase(by, email.toUpperCase())
    expect([status, body['code']]).toEqual([409, 'job_in_progress'])
    expect(await findEverywhere(email)).toEqual(before)
    // Jobs without the address are no obstacle.
    expect(await countsOf(by, newEmail())).toEqual(NOTHING)
    await send(by, 'POST', `/bulk/jobs/${jobId}/cancel`)
    expect(await countsOf(by, email)).toMatchObject({ validations: 4, upload_rows: 5 })
    expect(await findEverywhere(email)).toMatchObject({ tables: [], files: 0 })
  },
)

test('an address in the batches or results of a job whose file was deleted is a 409', async () => {
  const email = newEmail()
  const by = await api.openCaller({ credits: 100 })
  const jobId = await confirm(by, 'email\nvada@example.com\n')
  const tell = (text: ReturnType<typeof sql>) => asOwner(api.db, (trx) => text.execute(trx))
  await tell(sql`delete from uploads where account_id = ${by.accountId}`)
  expect((await erase(by, email)).status).toBe(200)
  await tell(sql`
    insert into job_batches (expires_on, account_id, job_id, no, row_nos, emails)
    select expires_on, account_id, id, 0, '{2}', array[${email.toUpperCase()}] from jobs where id = ${jobId}`)
  expect((await erase(by, email)).body['code']).toBe('job_in_progress')
  await tell(sql`update jobs set state = 'canceled', finished_at = now() where id = ${jobId}`)
  expect(await countsOf(by, email)).toEqual({ ...NOTHING, job_batches: 1 })
  expect(await findText(api, email)).toEqual([])
})

test('a worker cannot store the result of a validation that was erased', async () => {
  const email = newEmail()
  const by = await api.openCaller({ credits: 100 })
  const row = { id: randomUUID(), email, emailKey: email }
  const opening = { accountId: by.accountId, keyId: null, retentionDays: 30, group: row.id }
  const opened = await inTenant(api.db, by.accountId, (trx) => openValidations(trx, opening, [row]))
  const ref = opened.kind === 'opened' ? opened.refs[0] : undefined
  if (ref === undefined) throw new Error('not opened')
  const books = await readBooks(by.accountId)
  expect(await countsOf(by, email)).toEqual({ ...NOTHING, validations: 1 })
  const ending = { conclusive: false, result: pendingResult(email, 'timeout') }
  const finished = await inTenant(api.db, by.accountId, (trx) => finishValidation(trx, ref, ending))
  expect(finished).toEqual({ kind: 'finished_before' })
  expect(await findText(api, email)).toEqual([])
  expect(await readBooks(by.accountId)).toEqual(books)
})

test('the suggestion of a typo is removed, and its validation stays', async () => {
  const email = newEmail()
  const by = await api.openCaller({ credits: 100 })
  const typo = email.replace('.com', '.con')
  const id = await endOne(by.accountId, typo, email)
  expect(await countsOf(by, email)).toEqual(NOTHING)
  const { body } = await send(by, 'GET', `/validations/${id}`)
  expect(body).toMatchObject({ email: typo, sub_status: 'not_probed', did_you_mean: null })
})

test('recent results are deleted, also those of earlier settings of the account', async () => {
  const email = newEmail()
  const by = await api.openCaller({ credits: 100 })
  await saveRecent(by, email)
  await send(by, 'PATCH', '/account', { sending: { threshold: 0.9 } })
  await saveRecent(by, email)
  await send(by, 'PATCH', '/account', { sending: { threshold: 0.8, excluded_traits: ['free'] } })
  await saveRecent(by, email)
  await saveRecent(by, `other-${email}`)
  expect(await countsOf(by, email)).toEqual({ ...NOTHING, recent_results: 3 })
})

test('data of a test key is erased with a live key', async () => {
  const email = `greylisted@${randomUUID()}.example`
  const by = await api.openCaller({ credits: 100 })
  const made = await send(by, 'POST', '/keys', {
    name: 'test',
    livemode: false,
    scopes: ['validations:write', 'jobs:write', 'webhooks:write', 'account:write'],
  })
  const headers = { 'x-api-key': String(made.body['key']) }
  await send(by, 'POST', '/webhooks', { url: 'https://hooks.example.com/' }, headers)
  await send(by, 'POST', '/validation/single', { email }, headers)
  expect(await findText(api, email)).toEqual(['webhook_events'])
  const refused = await by.call({ method: 'POST', url: '/api/v1/erasures', payload: { email }, headers })
  expect([refused.status, refused.body['code']]).toEqual([403, 'live_key_required'])
  expect(await countsOf(by, email)).toEqual({ ...NOTHING, recent_results: 1, webhook_events: 1 })
  expect(await findText(api, email)).toEqual([])
})

test('an erasure needs a scope and an address', async () => {
  const email = newEmail()
  const scopes: KeyScope[] = ['validations:write', 'jobs:write', 'account:read', 'keys:write', 'webhooks:write']
  const refused = await erase(await api.openCaller({ key: { scopes } }), email)
  expect([refused.status, refused.body['code']]).toEqual([403, 'missing_scope'])
  const by = await api.openCaller()
  for (const text of ['', 'ada', '@', 'ada@', '@example.com', `${'x'.repeat(1020)}@x.de`]) {
    const { status, body } = await erase(by, text)
    expect([text, status, body['code']]).toEqual([text, 400, 'invalid_request'])
  }
})

test('an erasure that was interrupted is completed by the next one', async () => {
  const email = newEmail()
  const { by } = await openUsed(email)
  const interrupted = openEraser(api.services, 0)(by.accountId, email)
  await expect(interrupted).rejects.toMatchObject({ code: 'service_unavailable' })
  expect(await countsOf(by, email)).toMatchObject({ validations: 4 })
  expect(await findEverywhere(email)).toMatchObject({ tables: [], files: 0 })
})

test('an account erases one address at a time', async () => {
  const by = await api.openCaller()
  const answers = await Promise.all([erase(by, newEmail()), erase(by, newEmail())])
  expect(answers.map(({ status, body }) => [status, body['code']])).toEqual([
    [200, undefined],
    [503, 'overloaded'],
  ])
})
