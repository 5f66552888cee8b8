import { sql } from 'kysely'
import type { AccountOptions } from '../accounts/keys.ts'
import { arrayOf, callInTenant, callWithoutTenant, type Db, inTenant, withoutTenant } from '../connection/connect.ts'
import { type Finish, type Finished, finishValidations, type ValidationRef } from './validations.ts'

/** Whether there are jobs to plan, batches to dispatch and webhooks to deliver, of all accounts. */
export type PendingWork = { plans: boolean; batches: boolean; deliveries: boolean }

export async function findPendingWork(db: Db): Promise<PendingWork> {
  const { rows } = await withoutTenant(db, (trx) => sql<PendingWork>`select * from find_pending_work()`.execute(trx))
  return rows[0] as PendingWork
}

/** A validation that this worker has claimed, with its options. */
export type ClaimedValidation = {
  ref: ValidationRef
  email: string
  emailKey: string
  /** Number of claims since its last attempt ended. */
  attempts: number
  /** Number of deferrals by mail servers, and the egress of the last probe. */
  deferrals: number
  egress: string | null
  retentionDays: number
  /** Whether the mailbox may be probed. */
  mailbox: boolean
  /** Not probed, because the account exceeded the daily limit of the domain. */
  domainLimited: boolean
} & AccountOptions

/** A row of claim_validations. */
type TakenRow = {
  expires_on: string
  account_id: string
  id: string
  email: string
  email_key: string
  attempts: number
  deferrals: number
  egress: string | null
  retention_days: number
  ai: boolean
  catchall: boolean
  send_threshold: number
  excluded_traits: AccountOptions['excludedTraits']
  mailbox: boolean
  domain_limited: boolean
}

export type ClaimOptions = { holdS: number; egresses: string[] }

/** Claims open validations of all accounts for a time. Returns none that other workers have claimed or finished. */
export async function claimValidations(
  db: Db,
  refs: ValidationRef[],
  holder: ClaimOptions,
): Promise<ClaimedValidation[]> {
  const { holdS, egresses } = holder
  const taken: ClaimedValidation[] = []
  for (const [day, group] of Map.groupBy(refs, (ref) => ref.expiresOn)) {
    const accounts = arrayOf('uuid', [...new Set(group.map((ref) => ref.accountId))])
    const ids = arrayOf(
      'uuid',
      group.map((ref) => ref.id),
    )
    const values = [day, accounts, ids, holdS, arrayOf('text', egresses)]
    const rows = await callWithoutTenant<TakenRow>(db, 'claim_validations', values)
    taken.push(...rows.map(readTaken))
  }
  return taken
}

function readTaken(row: TakenRow): ClaimedValidation {
  const { email, attempts, deferrals, egress, mailbox, ai, catchall } = row
  return {
    ref: { expiresOn: row.expires_on, accountId: row.account_id, id: row.id },
    email,
    emailKey: row.email_key,
    attempts,
    deferrals,
    egress,
    retentionDays: row.retention_days,
    ai,
    catchall,
    sendThreshold: row.send_threshold,
    excludedTraits: row.excluded_traits,
    mailbox,
    domainLimited: row.domain_limited,
  }
}

/** One round trip like that of a claim, to measure its duration. */
export async function pingDatabase(db: Db): Promise<void> {
  await callWithoutTenant(db, 'utc_today', [])
}

type Waiting = { olderThanMs: number; limit: number; egresses: string[] }

/** References of open, unclaimed validations of all accounts that have waited this long, oldest first. */
export async function listWaiting(db: Db, { olderThanMs, limit, egresses }: Waiting): Promise<ValidationRef[]> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<ValidationRef>`select * from list_unclaimed_validations(${olderThanMs}, ${limit}, ${egresses}::text[])`.execute(
      trx,
    ),
  )
  return rows
}

/** Notifies the workers of waiting validations when Redis is unavailable. */
export async function wakeWorkers(db: Db): Promise<void> {
  await withoutTenant(db, (trx) => sql`select wake_workers()`.execute(trx))
}

/** How long a validation may be open; then its credit is refunded. */
const OPEN_FOR_HOURS = 24

export type Overdue = ValidationRef & { email: string }

/** Validations of all accounts that are open past their time, oldest first. */
export async function listOverdue(db: Db, limit: number): Promise<Overdue[]> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<Overdue>`select * from list_overdue_validations(${OPEN_FOR_HOURS}, ${limit})`.execute(trx),
  )
  return rows
}

/**
 * Writes the final results of validations of one account, as `finishValidations` does, in one round trip. Results that a
 * client collects later take several statements and a transaction of their own; they are few.
 */
export async function finishAtOnce(db: Db, accountId: string, finishes: Finish[]): Promise<Map<string, Finished>> {
  const outcomes = new Map<string, Finished>()
  for (const { validation_id: id, refunded } of await finishUndeferred(db, accountId, finishes)) {
    outcomes.set(id, { refunded, owed: false })
  }
  const rest = finishes.filter(({ ref }) => !outcomes.has(ref.id))
  if (rest.length === 0) return outcomes
  const others = await inTenant(db, accountId, (trx) => finishValidations(trx, accountId, rest))
  return new Map([...outcomes, ...others])
}

type Ended = { validation_id: string; refunded: boolean }

function finishUndeferred(db: Db, accountId: string, finishes: Finish[]): Promise<Ended[]> {
  const each = (read: (finish: Finish) => string) => finishes.map(read)
  const values = [
    arrayOf('date', [...new Set(each(({ ref }) => ref.expiresOn))]),
    arrayOf(
      'uuid',
      each(({ ref }) => ref.id),
    ),
    arrayOf(
      'boolean',
      each(({ conclusive }) => String(conclusive)),
    ),
    arrayOf(
      'json',
      each(({ result }) => JSON.stringify(result)),
    ),
    false,
  ]
  return callInTenant<Ended>(db, accountId, 'finish_validations', values)
}
