import { randomUUID } from 'node:crypto'
import { pendingResult, type StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { sql } from 'kysely'
import { postCredits } from '../billing/ledger.ts'
import { asOwner, type Db, inTenant } from '../connection/connect.ts'
import { type ClaimedBatch, claimBatch, dispatchBatches, recordHeartbeat } from './batches.ts'
import type { ListCounts } from './jobs.ts'
import { claimPlan, type PlannedBatch, savePlan } from './planning.ts'
import type { FinalRow } from './settle-batches.ts'

/** The counts of a list in which every line has one address. */
export const PLAIN_LIST: Omit<ListCounts, 'emailCount' | 'uniqueCount'> = {
  ...{ blankCount: 0, notAddressCount: 0, extraAddressCount: 0, leftOutCount: 0 },
  severalAddresses: 'first',
  malformed: 'validate',
}

type Confirmed = { id: string; accountId: string; expiresOn: string }

type TestUpload = { uniqueCount: number; storageKey?: string; mode?: 'live' | 'test'; maxAgeS?: number }

/** A job as confirming an upload of this many addresses creates it, with its credits reserved. */
export async function confirmTestJob(db: Db, accountId: string, upload: TestUpload): Promise<Confirmed> {
  const { uniqueCount, storageKey = randomUUID(), mode = 'live', maxAgeS } = upload
  const creditsPerEmail = mode === 'live' ? 1 : 0
  return inTenant(db, accountId, async (trx) => {
    const row = await trx
      .insertInto('uploads')
      .values({
        ...{ accountId, mode, filename: 'list.csv', sizeBytes: 1, columns: ['email'], delimiter: ',' },
        ...{ encoding: 'utf-8', headerRow: 1, suggestedColumn: 'email', storageKey },
        ...{ rowCount: uniqueCount, emailCount: uniqueCount, uniqueCount },
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const job = await trx
      .insertInto('jobs')
      .values({
        ...{ accountId, mode, uploadId: row.id, keyId: null, filename: 'list.csv', emailColumn: 'email' },
        ...{ rowCount: uniqueCount, emailCount: uniqueCount, uniqueCount, creditsPerEmail, refundUnknown: true },
        expiresOn: sql<string>`utc_today() + 30`,
        ...(maxAgeS !== undefined && { maxAgeS }),
      })
      .returning(['id', 'accountId', 'expiresOn'])
      .executeTakeFirstOrThrow()
    const credits = uniqueCount * creditsPerEmail
    if (credits > 0) await postCredits(trx, { kind: 'reserve', credits, subject: job.id })
    return job
  })
}

export type TestBatch = Partial<PlannedBatch> & { size: number }

/** The same, planned: batches of the given sizes, with addresses that contain their row numbers. */
export async function planTestJob(db: Db, accountId: string, batches: TestBatch[]): Promise<Confirmed> {
  const uniqueCount = batches.reduce((sum, { size }) => sum + size, 0)
  const confirmed = await confirmTestJob(db, accountId, { uniqueCount })
  const workerId = randomUUID()
  let rowNo = 1
  const planned = batches.map(({ size, site = '', siteMax = 0 }) => {
    const rowNos = Array.from({ length: size }, () => (rowNo += 1))
    return { site, siteMax, rowNos, emails: rowNos.map((row) => `row-${row}@example.com`) }
  })
  const job = await claimPlan(db, workerId)
  if (job?.id !== confirmed.id) throw new Error('another job was to be planned')
  if (!(await savePlan(db, job, planned))) throw new Error('the plan was not kept')
  return confirmed
}

/** A worker whose heartbeat stays current on slow machines. */
export async function startTestWorker(db: Db, slots: number): Promise<string> {
  const workerId = randomUUID()
  await recordHeartbeat(db, workerId, slots)
  await ageTestHeartbeat(db, workerId, -3_600)
  return workerId
}

/** Sets the age of the worker's last heartbeat. */
export async function ageTestHeartbeat(db: Db, workerId: string, seconds: number): Promise<void> {
  await asOwner(db, (trx) =>
    sql`update job_workers set seen_at = clock_timestamp() - make_interval(secs => ${seconds}) where id = ${workerId}`.execute(
      trx,
    ),
  )
}

/** Makes all dispatches this much older. */
export async function ageDispatches(db: Db, seconds: number): Promise<void> {
  await asOwner(db, (trx) =>
    sql`update job_queue set queued_at = queued_at - make_interval(secs => ${seconds}) where queued_at is not null`.execute(
      trx,
    ),
  )
}

/** Dispatches batches and claims the first one. */
export async function claimNext(db: Db, workerId: string): Promise<ClaimedBatch | undefined> {
  const [first] = await dispatchBatches(db, [])
  return first && claimBatch(db, workerId, first)
}

/** Every row of a batch with the same status. */
export function finalRows({ rowNos, emails }: Pick<ClaimedBatch, 'rowNos' | 'emails'>, status = 'valid'): FinalRow[] {
  const subStatus = status === 'unknown' ? 'timeout' : ''
  return rowNos.map((rowNo, n) => finalRow(rowNo, emails[n] ?? '', { status, subStatus }))
}

/** A result with this verdict and no findings about the address. */
export function finalRow(rowNo: number, email: string, verdict: { status: string; subStatus: string }): FinalRow {
  const { status, subStatus: sub_status } = verdict
  return { rowNo, email, result: { ...pendingResult(email, 'timeout'), status, sub_status } as StoredResult }
}

/** Deletes all jobs with their batches and workers. */
export async function removeTestJobs(db: Db): Promise<void> {
  await asOwner(db, (trx) =>
    sql`truncate job_workers; truncate account_turns; truncate job_batches; delete from jobs`.execute(trx),
  )
}

/**
 * Records the queue row of a batch when it is settled or deleted, because the row does not exist afterwards. `listEndedBatches` returns
 * the records.
 */
export async function recordEndedBatches(db: Db): Promise<void> {
  await asOwner(db, (trx) =>
    sql`
      create table ended_batches (like job_queue);
      create function record_ended_batch() returns trigger language plpgsql security definer as $$
      begin
        insert into public.ended_batches select old.*;
        return null;
      end
      $$;
      create trigger record_ended after delete on job_queue for each row execute function record_ended_batch()`.execute(
      trx,
    ),
  )
}
