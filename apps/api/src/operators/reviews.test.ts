import { asOwner } from '@probity/database/connection/connect'
import { dispatchBatches } from '@probity/database/jobs/batches'
import type { PlanLimits } from '@probity/database/jobs/planning'
import { startTestWorker } from '@probity/database/jobs/test-jobs'
import { evaluateSamples } from '@probity/database/operators/reviews'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { TestClient } from '../testing/test-api.ts'
import { startUsersApi } from '../testing/test-browser.ts'
import { booksOf, getJob, planJob, startJob, workBatch } from '../testing/test-jobs.ts'
import { signUpOperator } from '../testing/test-operator.ts'

const api = await startUsersApi({ config: { abuseLimits: { domainAddresses: 200 } } })
const { db } = api
const operator = await signUpOperator(api)
await startTestWorker(db, 100)

const OVER: PlanLimits = { counts: new Map([['target.example', 30]]), base: 10, sample: undefined }
const SAMPLED: PlanLimits = {
  counts: new Map([['target.example', 30]]),
  base: 1_000,
  sample: { batches: 1, addresses: 10, domain: 'target.example', domainAddresses: 30 },
}

const wish = (by: TestClient, jobId: string, name: string) =>
  by.call({ method: 'POST', url: `/api/v1/bulk/jobs/${jobId}/${name}` })

async function listReviews(): Promise<Record<string, unknown>[]> {
  const { status, body } = await operator.get('/operator/reviews')
  expect([status, body['are_limits_on']]).toEqual([200, true])
  return body['reviews'] as Record<string, unknown>[]
}

async function startReviewed(limits: PlanLimits) {
  const by = await api.openCaller({ credits: 100 })
  const jobId = await startJob(by, 30)
  const batches = await planJob(db, jobId, [10, 10, 10], limits)
  return { by, jobId, batches }
}

const releasedOf = async (jobId: string) =>
  (await dispatchBatches(db, [])).filter((batch) => batch.jobId === jobId).map(({ no }) => no)

async function auditOf(by: TestClient): Promise<string[]> {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ entry: string }>`
      select actor || ' ' || action || ' ' || (changes -> 'domain' ->> 1) as entry from audit_entries
      where account_id = ${by.accountId} and action like 'list.review%'`.execute(trx),
  )
  return rows.map(({ entry }) => entry)
}

test('a job over the daily limit of a domain waits for an operator, who releases it', async () => {
  const { by, jobId, batches } = await startReviewed(OVER)
  expect(await getJob(by, jobId)).toMatchObject({ status: 'paused', delay_reason: 'under_review', done_count: 0 })
  expect(await releasedOf(jobId)).toEqual([])
  const { status, body } = await wish(by, jobId, 'resume')
  expect([status, body['code']]).toEqual([409, 'job_under_review'])
  const review = (await listReviews()).find(({ job_id }) => job_id === jobId)
  expect(review).toMatchObject({ reason: 'domain_limit', domain: 'target.example', domain_addresses: 30, total: 30 })

  expect((await operator.post(`/operator/reviews/${jobId}/release`)).status).toBe(204)
  expect(await getJob(by, jobId)).toMatchObject({ status: 'processing', delay_reason: 'no_worker' })
  expect(await auditOf(by)).toEqual(['operator list.review_released target.example'])
  for (const batch of batches) expect(await workBatch(db, batch)).toBe('settled')
  expect((await getJob(by, jobId)).status).toBe('completed')
  expect((await operator.post(`/operator/reviews/${jobId}/release`)).status).toBe(404)
})

test('only the sample of a job is dispatched, and a mostly invalid sample pauses the job', async () => {
  const { by, jobId, batches } = await startReviewed(SAMPLED)
  const [first] = batches
  if (!first) throw new Error('no plan')
  expect(await releasedOf(jobId)).toEqual([0])
  expect(await workBatch(db, first, { status: 'invalid', subStatus: 'mailbox_not_found' })).toBe('settled')
  expect(await releasedOf(jobId)).toEqual([])
  expect(await evaluateSamples(db)).toBe(1)
  expect(await getJob(by, jobId)).toMatchObject({ status: 'paused', delay_reason: 'under_review', done_count: 10 })
  const review = (await listReviews()).find(({ job_id }) => job_id === jobId)
  expect(review).toMatchObject({ reason: 'guessed_addresses', sample_done: 10, sample_invalid: 10, done: 10 })
  expect(await evaluateSamples(db)).toBe(0)

  expect((await operator.post(`/operator/reviews/${jobId}/cancel`)).status).toBe(204)
  expect(await getJob(by, jobId)).toMatchObject({ status: 'canceled', delay_reason: null, done_count: 10 })
  expect(await booksOf(db, by.accountId)).toEqual({ available: 90, reserved: 0, spent: 10 })
  expect(await auditOf(by)).toEqual(['operator list.review_canceled target.example'])
})

test('a sample with a usual share of invalid addresses releases the rest of its job', async () => {
  const { by, jobId, batches } = await startReviewed(SAMPLED)
  const [first] = batches
  if (!first) throw new Error('no plan')
  expect(await releasedOf(jobId)).toEqual([0])
  await workBatch(db, first, { later: 4 })
  expect(await evaluateSamples(db)).toBe(0)
  expect(await getJob(by, jobId)).toMatchObject({ status: 'processing', delay_reason: 'no_worker' })
  expect(await releasedOf(jobId)).toEqual([1, 2])
})

test('deferred addresses of a sample are dispatched again while the others wait', async () => {
  const { jobId, batches } = await startReviewed(SAMPLED)
  const [first] = batches
  if (!first) throw new Error('no plan')
  expect(await releasedOf(jobId)).toEqual([0])
  await workBatch(db, first, { later: 8, waitMs: 0 })
  expect(await evaluateSamples(db)).toBe(0)
  expect(await releasedOf(jobId)).toEqual([3])
})

test('deferred addresses count as not invalid, since some servers greylist existing mailboxes only', async () => {
  const { by, jobId, batches } = await startReviewed(SAMPLED)
  const [first] = batches
  if (!first) throw new Error('no plan')
  await workBatch(db, first, { status: 'invalid', subStatus: 'mailbox_not_found', later: 4 })
  expect(await evaluateSamples(db)).toBe(0)
  expect((await getJob(by, jobId)).status).toBe('processing')
})

test('the customer can cancel or delete a job under review', async () => {
  const { by, jobId } = await startReviewed(OVER)
  expect((await wish(by, jobId, 'cancel')).body).toMatchObject({ status: 'canceled', delay_reason: null })
  expect((await listReviews()).some(({ job_id }) => job_id === jobId)).toBe(false)
  expect((await by.call({ method: 'DELETE', url: `/api/v1/bulk/jobs/${jobId}` })).status).toBe(204)
  expect(await booksOf(db, by.accountId)).toEqual({ available: 100, reserved: 0, spent: 0 })
})

test('operators add and remove opted-out domains, and the audit log has both', async () => {
  const add = (domain: string) => operator.post('/operator/opt-outs', { domain, note: 'by email' })
  expect((await add('Private.Example')).status).toBe(204)
  expect((await add('private.example')).status).toBe(204)
  for (const domain of ['', 'private', 'a@private.example', 'private.example/', `${'a'.repeat(64)}.example`]) {
    expect((await add(domain)).status).toBe(400)
  }
  const { body } = await operator.get('/operator/opt-outs')
  expect(body['domains']).toMatchObject([{ domain: 'private.example', note: 'by email' }])
  expect((await operator.post('/operator/opt-outs/remove', { domain: 'private.example' })).status).toBe(204)
  expect((await operator.post('/operator/opt-outs/remove', { domain: 'private.example' })).status).toBe(404)
  const { rows } = await asOwner(db, (trx) =>
    sql<{ entry: string }>`
      select actor || ' ' || action || ' ' || subject_name as entry from audit_entries
      where action like 'opt_out.%' order by id`.execute(trx),
  )
  expect(rows.map(({ entry }) => entry)).toEqual([
    'operator opt_out.created private.example',
    'operator opt_out.deleted private.example',
  ])
})
