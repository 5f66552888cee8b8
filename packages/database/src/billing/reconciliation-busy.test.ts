import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { asOwner, inTenant } from '../connection/connect.ts'
import type { View } from '../connection/scope.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { claimBatch } from '../jobs/batches.ts'
import { cancelJob, removeJob, removePending } from '../jobs/job-control.ts'
import { claimPlan, savePlan } from '../jobs/planning.ts'
import { settleBatch } from '../jobs/settle-batches.ts'
import { confirmTestJob, finalRows, startTestWorker } from '../jobs/test-jobs.ts'
import { deferResult, finishValidation, openValidations, type ValidationRef } from '../validations/validations.ts'
import { postCredits } from './ledger.ts'
import { listLedgerMismatches, reconcileLedger } from './reconciliation.ts'

// STEPS=5000 makes the long run.
const STEPS = Number(process.env['STEPS'] ?? 400)
const CUSTOMERS = 4
const BATCH_SIZE = 3

const { db } = await createTestDatabase()

/** The customer's actions; each is as frequent as it is listed. */
const KINDS = [
  'grant',
  ...['open', 'open', 'open'],
  ...['finish', 'finish', 'finish', 'finish'],
  ...['confirm', 'confirm'],
  ...['plan', 'plan'],
  ...['settle', 'settle', 'settle', 'settle', 'settle', 'settle', 'settle', 'settle'],
  'cancel',
  'remove',
] as const
type Step = { kind: (typeof KINDS)[number]; pick: number; definite: boolean; putOff: number }
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS),
  pick: fc.nat(1_000),
  definite: fc.boolean(),
  putOff: fc.nat(BATCH_SIZE),
})

/** A customer of the simulated day, and the objects that actions can select. */
type Customer = { view: View; workerId: string; jobs: string[]; refs: ValidationRef[] }

async function take({ view, workerId, jobs, refs }: Customer, { kind, pick, ...how }: Step): Promise<void> {
  const { accountId } = view
  const [ref, jobId] = [refs[pick % refs.length], jobs[pick % jobs.length]]
  const grant = { kind: 'grant', credits: 5, subject: randomUUID() } as const
  switch (kind) {
    case 'grant':
      return void (await inTenant(db, accountId, (trx) => postCredits(trx, grant)))
    case 'open':
      return void refs.push(...(await open(accountId, 1 + (pick % 4))))
    case 'finish':
      return ref && finish(ref, how.definite)
    case 'confirm':
      return void jobs.push((await confirmTestJob(db, accountId, { uniqueCount: 1 + (pick % 9) })).id)
    case 'plan':
      return planAny(workerId)
    case 'settle':
      return jobId === undefined ? undefined : settleNext(view, { workerId, jobId, putOff: how.putOff })
    case 'cancel':
    case 'remove':
      return jobId === undefined ? undefined : end(view, jobId, kind)
  }
}

async function finish(ref: ValidationRef, conclusive: boolean): Promise<void> {
  await inTenant(db, ref.accountId, (trx) => finishValidation(trx, ref, { conclusive, result: {} }))
}

async function end(view: View, jobId: string, how: 'cancel' | 'remove'): Promise<void> {
  const tidy = how === 'remove' ? removeJob : removePending
  await inTenant(db, view.accountId, (trx) => cancelJob(trx, view, jobId))
  await inTenant(db, view.accountId, async (trx) => void (await tidy(trx, view, jobId)))
}

/** Half of them are deferred, as for clients that do not wait. */
async function open(accountId: string, count: number): Promise<ValidationRef[]> {
  const rows = Array.from({ length: count }, () => ({ id: randomUUID(), email: 'x', emailKey: randomUUID() }))
  const opening = { accountId, keyId: null, retentionDays: 30, group: randomUUID() }
  return inTenant(db, accountId, async (trx) => {
    const opened = await openValidations(trx, opening, rows)
    if (opened.kind !== 'opened') throw new Error(opened.kind)
    for (const ref of opened.refs.slice(0, count / 2)) await deferResult(trx, ref)
    return opened.refs
  })
}

async function planAny(workerId: string): Promise<void> {
  const job = await claimPlan(db, workerId)
  if (job === undefined) return
  const rowNos = Array.from({ length: job.uniqueCount }, (_, n) => n + 2)
  const batches = Array.from({ length: Math.ceil(rowNos.length / BATCH_SIZE) }, (_, n) => {
    const some = rowNos.slice(n * BATCH_SIZE, (n + 1) * BATCH_SIZE)
    return { site: '', siteMax: 0, rowNos: some, emails: some.map(String) }
  })
  await savePlan(db, job, batches)
}

const LATER = {
  deferrals: 1,
  throttles: 0,
  noResponses: 0,
  attempts: 0,
  egress: null,
  waitReason: 'greylisted',
  waitMs: 0,
}

/** Settles a batch; some of its rows are deferred, and the last of the others is inconclusive. */
async function settleNext(view: View, work: { workerId: string; jobId: string; putOff: number }): Promise<void> {
  const { accountId } = view
  const pending = await inTenant(db, accountId, (trx) =>
    trx
      .selectFrom('jobQueue')
      .select(['jobId', 'no'])
      .where('jobId', '=', work.jobId)
      .orderBy('no')
      .limit(1)
      .executeTakeFirst(),
  )
  const batch = pending && (await claimBatch(db, work.workerId, pending))
  if (batch === undefined) return
  const rows = finalRows(batch)
  const final = [...finalRows(batch, 'unknown').slice(work.putOff, work.putOff + 1), ...rows.slice(work.putOff + 1)]
  const rowNos = rows.slice(0, work.putOff).map(({ rowNo }) => rowNo)
  const later = rowNos.length > 0 ? [{ ...LATER, rowNos, emails: rowNos.map(String) }] : []
  await settleBatch(db, batch, { final, later })
}

test(
  'a busy day causes no ledger mismatch, neither during it nor at its end',
  async () => {
    const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)
    let isDay = true
    const found: unknown[] = []
    let audits = 0
    const customers = Array.from({ length: CUSTOMERS }, async (_, n) => {
      const { id: accountId } = await openTestAccount(db, 100, { unlimited: true })
      const workerId = await startTestWorker(db, 8)
      const customer: Customer = { view: { accountId, mode: 'live' }, workerId, jobs: [], refs: [] }
      for (const one of fc.sample(step, { numRuns: STEPS, seed: seed + n })) await take(customer, one)
    })
    const auditor = async () => {
      while (isDay) {
        found.push(...((await reconcileLedger(db))?.faults ?? []))
        found.push(...(await asOwner(db, (trx) => listLedgerMismatches(trx, { all: true }))))
        audits += 1
      }
    }
    const auditing = auditor()
    await Promise.all(customers).finally(() => {
      isDay = false
    })
    await auditing

    expect({ seed, found }).toEqual({ seed, found: [] })
    expect(audits).toBeGreaterThan(2)
    expect(await asOwner(db, (trx) => listLedgerMismatches(trx, { all: true }))).toEqual([])
    const done = await asOwner(db, (trx) =>
      sql<{ kinds: number }>`select count(distinct kind) as kinds from ledger`.execute(trx),
    )
    expect(done.rows[0]?.kinds).toBe(6) // all but the operator's correction
  },
  60_000 + STEPS * 400,
)
