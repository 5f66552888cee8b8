import { sql } from 'kysely'
import { type Db, type Trx, withoutTenant } from '../connection/connect.ts'

/** A difference between the ledger and the balances. The subject is a job or a validation; null is the account itself. */
export type LedgerMismatch = {
  accountId: string
  kind: string
  subject: string | null
  expected: number
  found: number
}

/** Overdue work is reported to the operator. No balance is wrong yet, so the account is not put on hold. */
const ONLY_LATE = 'validation_overdue'

const ACCOUNTS_AT_ONCE = 100
/** Few, since all results of each are counted: no statement may take long. */
const JOBS_AT_ONCE = 20
const VALIDATIONS_MAX = 1_000

type Reconcilable = { accounts: string[]; jobs: string[] }
type Round = Reconcilable & { validationsSince: Date; reconciledUntil: string }

export type ReconciliationResult = { faults: LedgerMismatch[]; stopped: string[] }

/**
 * Reconciles due accounts and puts accounts with a mismatch on hold. Undefined if another process is reconciling. Called every
 * minute: accounts with new transactions are reconciled within the minute, all others once a day.
 */
export async function reconcileLedger(db: Db): Promise<ReconciliationResult | undefined> {
  const faults = await withoutTenant(db, reconcileDue)
  if (faults === undefined) return undefined
  const wrong = new Set(faults.filter(({ kind }) => kind !== ONLY_LATE).map(({ accountId }) => accountId))
  return { faults, stopped: wrong.size > 0 ? await stopCharging(db, [...wrong]) : [] }
}

async function reconcileDue(trx: Trx): Promise<LedgerMismatch[] | undefined> {
  const { rows } = await sql<Round>`
    select accounts, jobs, validations_since, reconciled_until::text from begin_reconciliation()`.execute(trx)
  const [round] = rows
  if (round === undefined) return undefined
  const faults = [
    ...(await reconcileAll(trx, round, { whole: false })),
    ...(await reconcileValidations(trx, null, round.validationsSince)),
  ]
  for (const accounts of chunk(round.accounts, ACCOUNTS_AT_ONCE)) {
    await sql`select store_ledger_sums(${accounts}::uuid[])`.execute(trx)
  }
  await sql`select end_reconciliation(${round.reconciledUntil})`.execute(trx)
  return faults
}

/** Reconciles everything, of all accounts or of one, without stored sums. Changes nothing. */
export async function listLedgerMismatches(
  trx: Trx,
  which: { all: true } | { accountId: string },
): Promise<LedgerMismatch[]> {
  const accountId = 'accountId' in which ? which.accountId : null
  const { rows } = await sql<Reconcilable>`select * from list_reconcilable(${accountId}::uuid)`.execute(trx)
  return [
    ...(await reconcileAll(trx, rows[0] ?? { accounts: [], jobs: [] }, { whole: true })),
    ...(await reconcileValidations(trx, accountId, new Date(0))),
  ]
}

/** Each statement has its own snapshot. This suffices: no sum spans more than one account or one job. */
async function reconcileAll(
  trx: Trx,
  { accounts, jobs }: Reconcilable,
  { whole }: { whole: boolean },
): Promise<LedgerMismatch[]> {
  const faults: LedgerMismatch[] = []
  for (const some of chunk(accounts, ACCOUNTS_AT_ONCE)) {
    const { rows } = await sql<LedgerMismatch>`select * from reconcile_accounts(${some}::uuid[], ${whole})`.execute(trx)
    faults.push(...rows)
  }
  for (const some of chunk(jobs, JOBS_AT_ONCE)) {
    const { rows } = await sql<LedgerMismatch>`select * from reconcile_jobs(${some}::uuid[])`.execute(trx)
    faults.push(...rows)
  }
  return faults
}

async function reconcileValidations(trx: Trx, accountId: string | null, since: Date): Promise<LedgerMismatch[]> {
  const { rows } = await sql<LedgerMismatch>`
    select * from reconcile_validations(${accountId}::uuid, ${since}, ${VALIDATIONS_MAX})`.execute(trx)
  return rows
}

async function stopCharging(db: Db, accountIds: string[]): Promise<string[]> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ id: string }>`select * from hold_accounts(${accountIds}::uuid[]) as id`.execute(trx),
  )
  return rows.map(({ id }) => id)
}

/** Takes an account off hold if its ledger reconciles; otherwise returns the mismatches. As the owner. */
export async function resumeCharging(trx: Trx, accountId: string): Promise<LedgerMismatch[]> {
  const faults = await listLedgerMismatches(trx, { accountId })
  if (faults.some(({ kind }) => kind !== ONLY_LATE)) return faults
  // Stored sums may be older than the repair.
  await sql`delete from ledger_sums where account_id = ${accountId}`.execute(trx)
  await sql`update accounts set on_hold_since = null where id = ${accountId}`.execute(trx)
  return []
}

function chunk<T>(list: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size))
}
