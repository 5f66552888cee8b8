import { sql } from 'kysely'
import type { Trx } from './connect.ts'

/** The ways credits move; which balance each takes from and gives to stands in the table ledger_kinds. */
export type LedgerKind = 'grant' | 'adjust' | 'charge' | 'reserve' | 'settle' | 'release' | 'refund'

export type Movement = {
  kind: LedgerKind
  credits: number
  /** What the movement is for. The same subject (and part) is moved for once per kind, however often it is posted. */
  subject: string
  part?: number
  keyId?: string | null
  note?: string
}

export type Posting =
  | { kind: 'posted'; available: number }
  | { kind: 'replayed'; available: number }
  | { kind: 'insufficient'; available: number }
  | { kind: 'over_cap'; available: number }
  | { kind: 'on_hold'; available: number }

/** Whether the credits could not be had, for whatever reason. Nothing moved then. */
export function isRefused({ kind }: Posting): boolean {
  return kind === 'insufficient' || kind === 'over_cap' || kind === 'on_hold'
}

/**
 * Moves credits of the transaction's tenant: the only way they move. Takes a transaction because a charge without the
 * thing charged for must never be kept.
 */
export async function postCredits(trx: Trx, movement: Movement): Promise<Posting> {
  const { kind, credits, subject, part = 0, keyId = null, note = null } = movement
  const { rows } = await sql<{ outcome: Posting['kind']; available: number }>`
    select outcome, available from ledger_post(${kind}, ${credits}, ${subject}, ${part}, ${keyId}, ${note})`.execute(
    trx,
  )
  const [row] = rows
  if (row === undefined) throw new Error('ledger_post returned no row')
  return { kind: row.outcome, available: row.available }
}

/** Gives one credit back for each of these validations that was not refunded before, in one movement of the balance. */
export async function refundEach(trx: Trx, validationIds: string[], keyId: string | null): Promise<void> {
  await sql`select ledger_refund_validations(${validationIds}::uuid[], ${keyId})`.execute(trx)
}

/** Accounts of which the balances are not the sum of the ledger; must be empty. As the owner: it looks at every account. */
export function listDrift(trx: Trx) {
  return trx.selectFrom('ledgerMismatches').selectAll().execute()
}
