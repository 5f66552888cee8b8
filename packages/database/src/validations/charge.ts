import type { OverrideAction } from '@probity/contract/constants/policies'
import { sql } from 'kysely'
import { isRefused, type Posting } from '../billing/ledger.ts'
import { arrayOf, callInTenant, type Db, type Trx } from '../connection/connect.ts'
import {
  type Finished,
  finishValidations,
  IS_UNCLAIMED,
  type NewValidation,
  type ValidationRef,
} from './validations.ts'

type Payer = { accountId: string; keyId: string | null; retentionDays: number }

/** Single validations that are charged together. */
export type ValidationGroup = {
  /** Identifies the charge in the ledger. */
  subject: string
  /** Validations to enqueue for workers. */
  rows: NewValidation[]
  /** The number of those with a recent result. */
  recent: number
  /** Addresses and domains that may have an override. */
  names: string[]
}

export type GroupCharge =
  | { kind: 'charged'; expiresOn: string; available: number; overrides: ReadonlyMap<string, OverrideAction> }
  | { kind: 'refused'; posting: Posting }
  /** An earlier validation of one of the addresses is to be collected or joined. Nothing was charged. */
  | { kind: 'uncollected' }

type Row = {
  outcome: Posting['kind'] | 'uncollected'
  available: number
  expires_on: string
  overrides: Record<string, OverrideAction> | null
}

/** Charges a group and inserts its rows, both or neither, in one round trip. Committed when it resolves. */
export async function chargeValidations(
  db: Db,
  { accountId, keyId, retentionDays }: Payer,
  { subject, rows, recent, names }: ValidationGroup,
): Promise<GroupCharge> {
  const written = JSON.stringify(rows.map(writeRow))
  const values = [subject, keyId, retentionDays, recent, written, arrayOf('text', names)]
  const [row] = await callInTenant<Row>(db, accountId, 'charge_validations', values)
  if (row === undefined) throw new Error('charge_validations returned no row')
  const { outcome: kind, available } = row
  if (kind === 'uncollected') return { kind }
  const posting = { kind, available }
  if (isRefused(posting)) return { kind: 'refused', posting }
  if (kind === 'replayed') throw new Error(`group ${subject} was already charged`)
  return {
    kind: 'charged',
    expiresOn: row.expires_on,
    available,
    overrides: new Map(Object.entries(row.overrides ?? {})),
  }
}

function writeRow(row: NewValidation) {
  const { id, email, emailKey, ai = true, catchall = true, mailbox = true, timeoutMs = null, reference = null } = row
  const { domainLimited = false } = row
  const options = { ai, catchall, mailbox, domain_limited: domainLimited }
  return { id, email, email_key: emailKey, ...options, timeout_ms: timeoutMs, reference }
}

/** A validation whose request has timed out, and the result to keep where it never started. */
export type Withdrawal = { ref: ValidationRef; result: unknown }

/** The timers of the API and the clock of PostgreSQL may differ by this much. */
const CLOCK_TOLERANCE_MS = 250

/**
 * Ends and refunds validations of one account that no worker has claimed and that no other request waits for. Returns those by id.
 * Skips locked rows: a worker is claiming them, and waiting for it could deadlock.
 */
export async function withdrawUnclaimed(
  trx: Trx,
  accountId: string,
  withdrawals: Withdrawal[],
): Promise<Map<string, Finished>> {
  const unclaimed = new Set<string>()
  for (const [day, group] of Map.groupBy(withdrawals, ({ ref }) => ref.expiresOn)) {
    const { rows } = await sql<{ id: string }>`
      select v.id from validations v
      where v.expires_on = ${day} and v.account_id = ${accountId} and v.id = any (${group.map(({ ref }) => ref.id)}::uuid[])
        and ${IS_UNCLAIMED}
        and (v.awaited_until is null or v.awaited_until <= clock_timestamp() + make_interval(secs => ${CLOCK_TOLERANCE_MS} / 1000.0))
      for update of v skip locked`.execute(trx)
    for (const { id } of rows) unclaimed.add(id)
  }
  const finishes = withdrawals.flatMap(({ ref, result }) =>
    unclaimed.has(ref.id) ? [{ ref, result, conclusive: false }] : [],
  )
  return finishes.length > 0 ? finishValidations(trx, accountId, finishes) : new Map()
}
