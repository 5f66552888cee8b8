import type { OverrideAction } from '@probity/contract/override'
import { arrayOf, callInTenant, type Db } from './connect.ts'
import { isRefused, type Posting } from './credits.ts'
import type { NewValidation } from './validations.ts'

type Payer = { accountId: string; keyId: string | null; retentionDays: number }

/** Single validations that are charged together. */
export type ValidationGroup = {
  /** Identifies the charge in the ledger. */
  subject: string
  /** Those that a worker is to validate. */
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
  if (kind === 'replayed') throw new Error(`group ${subject} was charged before`)
  return {
    kind: 'charged',
    expiresOn: row.expires_on,
    available,
    overrides: new Map(Object.entries(row.overrides ?? {})),
  }
}

function writeRow(row: NewValidation) {
  const { id, email, emailKey, ai = true, catchall = true, mailbox = true, timeoutMs = null, reference = null } = row
  return { id, email, email_key: emailKey, ai, catchall, mailbox, timeout_ms: timeoutMs, reference }
}
