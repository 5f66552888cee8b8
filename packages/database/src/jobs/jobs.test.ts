import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { asOwner, inTenant } from '../connection/connect.ts'
import type { View } from '../connection/scope.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { claimBatch } from './batches.ts'
import { cancelJob, pauseJob, removeJob, removePending, resumeJob } from './job-control.ts'
import { confirmUpload, findConfirmable, findJob, findReplay, listJobs } from './jobs.ts'
import { settleBatch } from './settle-batches.ts'
import { finalRows, PLAIN_LIST, planTestJob } from './test-jobs.ts'
import { insertUpload } from './uploads.ts'

const { db } = await createTestDatabase()

// Planning claims the oldest job.
beforeEach(() => asOwner(db, (trx) => trx.deleteFrom('jobs').execute()))

async function openTenant(credits = 1_000): Promise<View> {
  return { accountId: (await openTestAccount(db, credits)).id, mode: 'live' }
}

function upload(view: View): Promise<{ id: string }> {
  const counts = { rowCount: 4, emailCount: 3, uniqueCount: 2, sizeBytes: 40 }
  const form = { columns: ['email'], suggestedColumn: 'email', delimiter: ',', encoding: 'utf-8', headerRow: 1 }
  const file = { mode: view.mode, filename: 'list.csv', storageKey: randomUUID() }
  return inTenant(db, view.accountId, (trx) => insertUpload(trx, view.accountId, { ...file, ...counts, ...form }))
}

function confirm(view: View, uploadId: string, emailColumn = 'email') {
  const confirmation = { uploadId, emailColumn, keyId: null, ...PLAIN_LIST, emailCount: 3, uniqueCount: 2 }
  return inTenant(db, view.accountId, (trx) => confirmUpload(trx, view, confirmation))
}

function creditsOf({ accountId }: View) {
  return asOwner(db, (trx) =>
    trx
      .selectFrom('accounts')
      .select(['available', 'reserved', 'spent'])
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow(),
  )
}

test('confirming an upload again returns its job', async () => {
  const view = await openTenant(5)
  const { id } = await upload(view)
  const first = await confirm(view, id)
  expect(first).toEqual({ kind: 'confirmed', jobId: expect.any(String) })
  expect(await confirm(view, id)).toEqual({ ...first, kind: 'replayed', status: 'queued' })
  expect(await confirm(view, id, 'other')).toEqual({ kind: 'upload_already_confirmed' })
  expect(await creditsOf(view)).toEqual({ available: 3, reserved: 2, spent: 0 })
})

test('an upload cannot be confirmed in its last minute', async () => {
  const view = await openTenant()
  const { id } = await upload(view)
  const expireIn = (seconds: number) =>
    asOwner(db, (trx) =>
      sql`update uploads set expires_at = clock_timestamp() + make_interval(secs => ${seconds}) where id = ${id}`.execute(
        trx,
      ),
    )
  await expireIn(55)
  expect(await inTenant(db, view.accountId, (trx) => findConfirmable(trx, view, id))).toBeUndefined()
  expect(await confirm(view, id)).toEqual({ kind: 'missing' })
  await expireIn(600)
  expect(await confirm(view, id)).toMatchObject({ kind: 'confirmed' })
})

test('confirmUpload returns the reason when the credits cannot be reserved', async () => {
  const view = await openTenant(1)
  const { id } = await upload(view)
  await expect(
    inTenant(db, view.accountId, async (trx) => {
      const confirmation = {
        uploadId: id,
        emailColumn: 'email',
        keyId: null,
        ...PLAIN_LIST,
        emailCount: 3,
        uniqueCount: 2,
      }
      throw await confirmUpload(trx, view, confirmation) // rolls back, as every caller must
    }),
  ).rejects.toEqual({ kind: 'refused', posting: { kind: 'insufficient', available: 1 } })
  expect(await inTenant(db, view.accountId, (trx) => listJobs(trx, view, { skip: 0, limit: 10 }))).toEqual({
    jobs: [],
    total: 0,
  })
})

test('neither another account nor a key of the other mode finds a job or an upload, nor changes one', async () => {
  const owner = await openTenant()
  const outsider = await openTenant()
  const uploaded = await upload(owner)
  const { id: confirmedUpload } = await upload(owner)
  const confirmed = await confirm(owner, confirmedUpload)
  if (confirmed.kind !== 'confirmed') throw new Error('not confirmed')
  const { jobId } = confirmed
  const read = () => inTenant(db, owner.accountId, (trx) => findJob(trx, owner, jobId))
  const { now: _, ...before } = (await read()) ?? {}

  for (const view of [outsider, { ...owner, mode: 'test' as const }]) {
    await inTenant(db, view.accountId, async (trx) => {
      expect(await findConfirmable(trx, view, uploaded.id)).toBeUndefined()
      expect(await findReplay(trx, view, { uploadId: confirmedUpload, emailColumn: 'email' })).toBeUndefined()
      expect(await findJob(trx, view, jobId)).toBeUndefined()
      expect(await listJobs(trx, view, { skip: 0, limit: 10 })).toEqual({ jobs: [], total: 0 })
      for (const control of [pauseJob, resumeJob, cancelJob]) expect(await control(trx, view, jobId)).toBe('missing')
      await removePending(trx, view, jobId)
      expect(await removeJob(trx, view, jobId)).toBeUndefined()
    })
    expect(await confirm(view, uploaded.id)).toEqual({ kind: 'missing' })
  }
  const { now: __, ...after } = (await read()) ?? {}
  expect(after).toEqual(before)
})

test('removeJob keeps an unfinished job and its batches', async () => {
  const view = await openTenant()
  const { id } = await planTestJob(db, view.accountId, [{ size: 3 }])
  await inTenant(db, view.accountId, async (trx) => {
    await removePending(trx, view, id)
    expect(await removeJob(trx, view, id)).toBeUndefined()
  })
  const batches = await asOwner(db, (trx) => trx.selectFrom('jobQueue').select('no').where('jobId', '=', id).execute())
  expect(batches).toEqual([{ no: 0 }])
})

test('cancelJob does not wait for a batch that is being settled, and its results are not stored', async () => {
  const view = await openTenant(10)
  const ref = await planTestJob(db, view.accountId, [{ size: 3 }])
  const batch = await claimBatch(db, randomUUID(), { jobId: ref.id, no: 0 })
  if (batch === undefined) throw new Error('no batch')
  await asOwner(db, async (trx) => {
    await sql`select from job_queue where job_id = ${ref.id} for update`.execute(trx) // as settle_batches does first
    expect(await inTenant(db, view.accountId, (own) => cancelJob(own, view, ref.id))).toBe('done')
    expect(await creditsOf(view)).toEqual({ available: 10, reserved: 0, spent: 0 })
  })
  expect(await settleBatch(db, batch, { final: finalRows(batch), later: [] })).toBe('lost')
  await inTenant(db, view.accountId, (trx) => removePending(trx, view, ref.id))
  expect(await creditsOf(view)).toEqual({ available: 10, reserved: 0, spent: 0 })
})

test('a job lists deferred addresses by reason with their first and last retry, without those that only start again', async () => {
  const view = await openTenant()
  const { id } = await planTestJob(db, view.accountId, [{ size: 3 }, { size: 2 }, { size: 4 }, { size: 5 }])
  await asOwner(db, (trx) =>
    sql`update job_queue b set wait_reason = w.reason, retry_at = clock_timestamp() + make_interval(mins => w.minutes)
        from (values (0, 'greylisted', 10), (1, 'greylisted', 20), (2, 'rate_limited', 5), (3, 'greylisted', -1))
          as w (no, reason, minutes)
        where b.job_id = ${id} and b.no = w.no`.execute(trx),
  )
  const job = await inTenant(db, view.accountId, (trx) => findJob(trx, view, id))
  const minutesFrom = (time: Date) => Math.round((time.getTime() - (job?.now.getTime() ?? 0)) / 60_000)
  const seen = job?.waiting.map(({ from, until, lastAt, ...rest }) => ({
    ...rest,
    from: minutesFrom(from),
    until: minutesFrom(until),
    lastAt: minutesFrom(lastAt),
  }))
  expect(seen).toEqual([
    { reason: 'greylisted', count: 5, from: 10, until: 20, lastAt: 20 },
    { reason: 'rate_limited', count: 4, from: 5, until: 5, lastAt: 5 },
  ])
})

test('a job lists deferred addresses while they are retried, and those that the rate limiter delays apart', async () => {
  const view = await openTenant()
  const { id } = await planTestJob(db, view.accountId, [
    { size: 3 },
    { size: 2 },
    { size: 4 },
    { size: 5 },
    { size: 1 },
  ])
  await asOwner(db, (trx) =>
    sql`update job_queue b set wait_reason = w.reason, deferrals = w.deferrals, throttles = w.throttles, no_responses = w.silences,
          retry_at = clock_timestamp() + make_interval(mins => w.minutes)
        from (values (0, 'greylisted', 1, 0, 0, -1), (1, 'rate_limited', 0, 3, 0, 1), (2, 'timeout', 0, 0, 1, 0),
                     (3, null, 1, 0, 0, null)) as w (no, reason, deferrals, throttles, silences, minutes)
        where b.job_id = ${id} and b.no = w.no`.execute(trx),
  )
  const job = await inTenant(db, view.accountId, (trx) => findJob(trx, view, id))
  const minutesFrom = (time: Date) => Math.round((time.getTime() - (job?.now.getTime() ?? 0)) / 60_000) || 0 // not -0
  expect(
    job?.waiting.map(({ reason, count, from, lastAt }) => [reason, count, minutesFrom(from), minutesFrom(lastAt)]),
  ).toEqual([
    ['greylisted', 3, -1, 79],
    ['throttled', 2, 1, 1],
    ['timeout', 9, 0, 80], // four after their first retry, and five for which a worker still waits
  ])
})

test('a job has slow addresses once a worker has waited five seconds for them', async () => {
  const view = await openTenant()
  const { id } = await planTestJob(db, view.accountId, [{ size: 3 }, { size: 2 }])
  await claimBatch(db, randomUUID(), { jobId: id, no: 0 })
  const slowUntil = async () => {
    const job = await inTenant(db, view.accountId, (trx) => findJob(trx, view, id))
    return job?.slowUntil && Math.round((job.slowUntil.getTime() - job.now.getTime()) / 1_000)
  }
  expect(await slowUntil()).toBeNull()
  await asOwner(db, (trx) =>
    sql`update job_queue set claimed_at = clock_timestamp() - interval '10 seconds' where job_id = ${id} and no = 0`.execute(
      trx,
    ),
  )
  expect(await slowUntil()).toBe(30)
})

test('a job counts its results of the last minute', async () => {
  const view = await openTenant()
  const { id } = await planTestJob(db, view.accountId, [{ size: 3 }, { size: 2 }, { size: 4 }])
  for (const no of [0, 1]) {
    const batch = await claimBatch(db, randomUUID(), { jobId: id, no })
    if (batch) await settleBatch(db, batch, { final: finalRows(batch), later: [] })
  }
  await asOwner(db, (trx) =>
    sql`update result_chunks set settled_at = settled_at - make_interval(secs => no * 300) where job_id = ${id}`.execute(
      trx,
    ),
  )
  expect(await inTenant(db, view.accountId, (trx) => findJob(trx, view, id))).toMatchObject({
    recentCount: 3,
    waiting: [],
  })
})
