import { randomUUID } from 'node:crypto'
import { asOwner } from '@probity/database/connection/connect'
import { claimBatch } from '@probity/database/jobs/batches'
import { settleBatch } from '@probity/database/jobs/settle-batches'
import { finalRows } from '@probity/database/jobs/test-jobs'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestClient } from '../testing/test-api.ts'
import {
  booksOf,
  confirmList,
  csvOf,
  emailsOf,
  getJob,
  planJob,
  startJob,
  uploadList,
  workBatch,
} from '../testing/test-jobs.ts'

const api = await startTestApi()
const { db, services } = api

const wish = (by: TestClient, jobId: string, name: string) =>
  by.call({ method: 'POST', url: `/api/v1/bulk/jobs/${jobId}/${name}` })
const remove = (by: TestClient, jobId: string) => by.call({ method: 'DELETE', url: `/api/v1/bulk/jobs/${jobId}` })

/** Counts the rows of a job in each table. */
function traceOf(jobId: string) {
  return asOwner(db, async (trx) => {
    const { rows } = await sql<Record<string, number>>`
      select (select count(*) from jobs where id = ${jobId}) as jobs,
        (select count(*) from job_queue where job_id = ${jobId}) as pending,
        (select count(*) from job_batches where job_id = ${jobId}) as addresses,
        (select coalesce(sum(size), 0) from result_chunks where job_id = ${jobId}) as results,
        (select count(*) from job_counts where job_id = ${jobId}) as counts`.execute(trx)
    return rows[0]
  })
}

test('no batch of a paused job is claimed until it is resumed, and repeating either action changes nothing', async () => {
  const by = await api.openCaller({ credits: 100 })
  const jobId = await startJob(by, 20)
  const [first] = await planJob(db, jobId, [10, 10])
  if (!first) throw new Error('no plan')
  for (let times = 0; times < 2; times++) {
    const { status, body } = await wish(by, jobId, 'pause')
    expect([status, body['id'], body['status']]).toEqual([200, jobId, 'paused'])
  }
  expect(await workBatch(db, first)).toBe('not_to_be_had')
  expect(await booksOf(db, by.accountId)).toEqual({ available: 80, reserved: 20, spent: 0 })
  for (let times = 0; times < 2; times++) {
    const { status, body } = await wish(by, jobId, 'resume')
    expect([status, body['status']]).toEqual([200, 'processing'])
  }
  expect(await workBatch(db, first)).toBe('settled')
})

test('a queued job can be paused and resumed too', async () => {
  const by = await api.openCaller({ credits: 100 })
  const jobId = await startJob(by, 1)
  expect((await wish(by, jobId, 'pause')).body['status']).toBe('paused')
  expect((await wish(by, jobId, 'resume')).body['status']).toBe('queued')
})

test('cancellation keeps finished results and releases the other credits at once, and only once', async () => {
  const by = await api.openCaller({ credits: 100 })
  const jobId = await startJob(by, 30)
  const [first] = await planJob(db, jobId, [10, 10, 10])
  if (first) await workBatch(db, first)
  const { status, body } = await wish(by, jobId, 'cancel')
  expect([status, body['status'], body['credits']]).toEqual([
    200,
    'canceled',
    { reserved: 0, used: 10, refunded: 0, charged: 10 },
  ])
  expect(body['finished_at']).not.toBeNull()
  expect(await booksOf(db, by.accountId)).toEqual({ available: 90, reserved: 0, spent: 10 })
  expect(await traceOf(jobId)).toMatchObject({ jobs: 1, pending: 0, addresses: 0, results: 10 })

  const again = await wish(by, jobId, 'cancel')
  expect([again.status, again.body]).toEqual([200, body])
  expect(await booksOf(db, by.accountId)).toEqual({ available: 90, reserved: 0, spent: 10 })
})

test('a paused job can be canceled', async () => {
  const by = await api.openCaller({ credits: 5 })
  const jobId = await startJob(by, 5)
  await wish(by, jobId, 'pause')
  expect((await wish(by, jobId, 'cancel')).body['status']).toBe('canceled')
  expect(await booksOf(db, by.accountId)).toEqual({ available: 5, reserved: 0, spent: 0 })
})

test('an ended job can be neither paused nor resumed, and a completed one not canceled', async () => {
  const by = await api.openCaller({ credits: 20 })
  const completed = await startJob(by, 1)
  for (const ref of await planJob(db, completed, [1])) await workBatch(db, ref)
  const canceled = await startJob(by, 1)
  await wish(by, canceled, 'cancel')
  const books = await booksOf(db, by.accountId)
  for (const [jobId, name] of [
    [completed, 'pause'],
    [completed, 'resume'],
    [completed, 'cancel'],
    [canceled, 'pause'],
    [canceled, 'resume'],
  ] as const) {
    const { status, body } = await wish(by, jobId, name)
    expect([status, body['code']]).toEqual([409, 'job_finished'])
  }
  expect(await booksOf(db, by.accountId)).toEqual(books)
})

test('a batch that is settled after the cancellation changes nothing', async () => {
  const by = await api.openCaller({ credits: 10 })
  const jobId = await startJob(by, 10)
  const [ref] = await planJob(db, jobId, [10])
  const batch = ref && (await claimBatch(db, randomUUID(), ref))
  if (!batch) throw new Error('no batch')
  await wish(by, jobId, 'cancel')
  expect(await settleBatch(db, batch, { final: finalRows(batch), later: [] })).toBe('lost')
  expect(await booksOf(db, by.accountId)).toEqual({ available: 10, reserved: 0, spent: 0 })
  expect(await traceOf(jobId)).toMatchObject({ results: 0, pending: 0 })
})

test('a job that is canceled while its batches are settled is charged for exactly its results', async () => {
  const by = await api.openCaller({ credits: 2_000 })
  for (let round = 0; round < 8; round++) {
    const before = await booksOf(db, by.accountId)
    const jobId = await startJob(by, 60)
    const refs = await planJob(
      db,
      jobId,
      Array.from({ length: 12 }, () => 5),
    )
    const working = refs.map((ref) => workBatch(db, ref))
    const cancelling = [wish(by, jobId, 'cancel'), wish(by, jobId, 'cancel')]
    await Promise.all(working)
    const answers = await Promise.all(cancelling)
    const job = await getJob(by, jobId)
    // The job may have been completed before the cancellation.
    for (const { status } of answers) expect(status).toBe(job.status === 'completed' ? 409 : 200)
    const after = await booksOf(db, by.accountId)
    expect((await traceOf(jobId))?.['results']).toBe(job.done_count)
    expect(after).toEqual({
      available: before.available - job.done_count,
      reserved: 0,
      spent: before.spent + job.done_count,
    })
  }
})

async function isKept(key: string): Promise<boolean> {
  try {
    for await (const chunk of services.storage.open(key)) if (chunk.length > 0) return true
  } catch {
    // A missing file is the expected result.
  }
  return false
}

test('a deleted job is removed everywhere with its file, and its charges remain', async () => {
  const by = await api.openCaller({ credits: 100 })
  const uploadId = await uploadList(by, csvOf(emailsOf(30)))
  const { storageKey } = await asOwner(db, (trx) =>
    trx.selectFrom('uploads').select('storageKey').where('id', '=', uploadId).executeTakeFirstOrThrow(),
  )
  expect(await isKept(storageKey)).toBe(true)
  const jobId = String((await confirmList(by, uploadId)).body['id'])
  const [first] = await planJob(db, jobId, [10, 10, 10])
  if (first) await workBatch(db, first)
  const removed = await remove(by, jobId)
  expect([removed.status, removed.text]).toEqual([204, ''])

  expect(await traceOf(jobId)).toEqual({ jobs: 0, pending: 0, addresses: 0, results: 0, counts: 0 })
  expect(await isKept(storageKey)).toBe(false)
  expect(await booksOf(db, by.accountId)).toEqual({ available: 90, reserved: 0, spent: 10 })
  expect((await by.call({ method: 'GET', url: `/api/v1/bulk/jobs/${jobId}` })).status).toBe(404)
  expect((await by.call({ method: 'GET', url: `/api/v1/bulk/jobs/${jobId}/events` })).status).toBe(404)
  for (const name of ['pause', 'resume', 'cancel']) expect((await wish(by, jobId, name)).status).toBe(404)
  expect((await remove(by, jobId)).status).toBe(404)
  expect((await confirmList(by, uploadId)).status).toBe(404)
  expect((await by.call({ method: 'GET', url: '/api/v1/bulk/jobs' })).body).toEqual([])
})

test('a completed job can be deleted, also if its file is already deleted', async () => {
  const by = await api.openCaller({ credits: 20 })
  const jobId = await startJob(by, 10)
  for (const ref of await planJob(db, jobId, [10])) await workBatch(db, ref)
  await asOwner(db, (trx) => sql`delete from uploads where account_id = ${by.accountId}`.execute(trx))
  expect((await remove(by, jobId)).status).toBe(204)
  expect(await traceOf(jobId)).toEqual({ jobs: 0, pending: 0, addresses: 0, results: 0, counts: 0 })
  expect(await booksOf(db, by.accountId)).toEqual({ available: 10, reserved: 0, spent: 10 })
})

test('an interrupted deletion is completed by the next one', async () => {
  const by = await api.openCaller({ credits: 20 })
  const jobId = await startJob(by, 10)
  await wish(by, jobId, 'cancel') // stops after the first of its transactions
  expect((await remove(by, jobId)).status).toBe(204)
  expect(await booksOf(db, by.accountId)).toEqual({ available: 20, reserved: 0, spent: 0 })
})

test('a job that is deleted while its batches are settled leaves no rows and no reserved credits', async () => {
  const by = await api.openCaller({ credits: 2_000 })
  for (let round = 0; round < 5; round++) {
    const jobId = await startJob(by, 60)
    const refs = await planJob(
      db,
      jobId,
      Array.from({ length: 12 }, () => 5),
    )
    const working = refs.map((ref) => workBatch(db, ref))
    const removed = await remove(by, jobId)
    await Promise.all(working)
    expect(removed.status).toBe(204)
    expect(await traceOf(jobId)).toEqual({ jobs: 0, pending: 0, addresses: 0, results: 0, counts: 0 })
    expect((await booksOf(db, by.accountId)).reserved).toBe(0)
  }
})
