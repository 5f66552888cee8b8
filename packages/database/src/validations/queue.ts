import { sql } from 'kysely'
import type { AccountManner } from '../accounts/keys.ts'
import { arrayOf, callInTenant, callWithoutTenant, type Db, inTenant, withoutTenant } from '../connection/connect.ts'
import { type Finish, type Finished, finishValidations, type ValidationRef } from './validations.ts'

/** Whether there are jobs to plan, batches to let out and webhooks to tell, whoever waits for them. */
export type WorkAtHand = { plans: boolean; batches: boolean; deliveries: boolean }

export async function findWorkAtHand(db: Db): Promise<WorkAtHand> {
  const { rows } = await withoutTenant(db, (trx) => sql<WorkAtHand>`select * from find_pending_work()`.execute(trx))
  return rows[0] as WorkAtHand
}

/** A validation that this worker has claimed, with its options. */
export type Taken = {
  ref: ValidationRef
  email: string
  emailKey: string
  /** How often work on it was begun since its last try came to an end. */
  attempts: number
  /** How often a mail server put it off, and the egress it was asked from. */
  deferrals: number
  egress: string | null
  retentionDays: number
  /** Whether a mail server may be asked. */
  mailbox: boolean
} & AccountManner

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
  excluded_traits: AccountManner['excludedTraits']
  mailbox: boolean
}

export type Holder = { holdS: number; egresses: string[] }

/** Takes open validations for a while, whoever owns them. What others hold or have finished is not among what comes back. */
export async function takeValidations(db: Db, refs: ValidationRef[], holder: Holder): Promise<Taken[]> {
  const { holdS, egresses } = holder
  const taken: Taken[] = []
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

function readTaken(row: TakenRow): Taken {
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
  }
}

/** Goes to the database and back as taking does, for whoever wants to know how long that takes. */
export async function takeNothing(db: Db): Promise<void> {
  await callWithoutTenant(db, 'utc_today', [])
}

type Waiting = { olderThanMs: number; limit: number; egresses: string[] }

/** Open validations of all accounts that nobody holds and that have waited so long: where they are, oldest first. */
export async function listWaiting(db: Db, { olderThanMs, limit, egresses }: Waiting): Promise<ValidationRef[]> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<ValidationRef>`select * from list_unclaimed_validations(${olderThanMs}, ${limit}, ${egresses}::text[])`.execute(
      trx,
    ),
  )
  return rows
}

/** Tells the workers that validations are waiting, where the queue cannot. */
export async function callWorkers(db: Db): Promise<void> {
  await withoutTenant(db, (trx) => sql`select wake_workers()`.execute(trx))
}

/** How long work on a validation may go on; past it the credit goes back. */
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
 * Writes the final results of validations of one account, as `finishValidations` does, in one round trip. Those whose client was told to
 * collect the result take several statements and a transaction of their own; they are few.
 */
export async function finishAtOnce(db: Db, accountId: string, finishes: Finish[]): Promise<Map<string, Finished>> {
  const outcomes = new Map<string, Finished>()
  for (const [day, group] of Map.groupBy(finishes, ({ ref }) => ref.expiresOn)) {
    for (const { validation_id: id, refunded } of await finishDay(db, { accountId, day }, group)) {
      outcomes.set(id, { refunded, owed: false })
    }
  }
  const rest = finishes.filter(({ ref }) => !outcomes.has(ref.id))
  if (rest.length === 0) return outcomes
  const others = await inTenant(db, accountId, (trx) => finishValidations(trx, accountId, rest))
  return new Map([...outcomes, ...others])
}

type Partition = { accountId: string; day: string }
type Ended = { validation_id: string; refunded: boolean }

function finishDay(db: Db, { accountId, day }: Partition, group: Finish[]): Promise<Ended[]> {
  const each = (read: (finish: Finish) => string) => group.map(read)
  const values = [
    day,
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
  ]
  return callInTenant<Ended>(db, accountId, 'finish_validations', values)
}
