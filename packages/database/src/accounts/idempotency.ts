import { sql } from 'kysely'
import type { Trx } from '../connection/connect.ts'

/** How long a claimed request may take before another attempt may resume it. Longer than any request takes. */
const LOCK_S = 90

export type IdempotentRequest = { route: string; keyHash: Buffer; fingerprint: Buffer }
export type StoredResponse = { status: number; headers: Record<string, string>; body: string }

/** A request that may proceed. The day identifies the partition of its record. */
export type Claimed = {
  kind: 'claimed' | 'resumed'
  request: IdempotentRequest
  subject: string
  expiresOn: string
  /** End of the claim, to the microsecond. A resumed request has another value, and then this claim is void. */
  lock: string
}

export type Claim =
  | Claimed
  | { kind: 'replay'; response: StoredResponse }
  | { kind: 'in_progress' }
  | { kind: 'mismatch' }

type ClaimRow = { outcome: Claim['kind']; subject: string; expiresOn: string; lock: string } & StoredResponse

/** Claims an Idempotency-Key for the transaction's tenant, or returns the state of the request that claimed it first. */
export async function claimIdempotency(trx: Trx, request: IdempotentRequest): Promise<Claim> {
  const { route, keyHash, fingerprint } = request
  const { rows } = await sql<ClaimRow>`
    select * from claim_idempotency(${route}, ${keyHash}, ${fingerprint}, ${LOCK_S})`.execute(trx)
  const [row] = rows
  if (row === undefined) throw new Error('claim_idempotency returned no row')

  const { outcome: kind, subject, expiresOn, lock, status, headers, body } = row
  if (kind === 'replay') return { kind, response: { status, headers, body } }
  if (kind === 'claimed' || kind === 'resumed') return { kind, request, subject, expiresOn, lock }
  return { kind }
}

/** Stores the response for replays of the same key. */
export async function saveResponse(trx: Trx, accountId: string, claim: Claimed, answer: StoredResponse): Promise<void> {
  const { status, headers, body } = answer
  await trx
    .updateTable('idempotencyRecords')
    .set({ status, headers: JSON.stringify(headers), body })
    .where('expiresOn', '=', claim.expiresOn)
    .where('accountId', '=', accountId)
    .where('route', '=', claim.request.route)
    .where('keyHash', '=', claim.request.keyHash)
    .where('subject', '=', claim.subject)
    .where(sql`locked_until::text`, '=', claim.lock)
    .execute()
}

/** Releases the key: the request was rejected without effect, so it can be retried with the same key. */
export async function releaseIdempotency(trx: Trx, accountId: string, claim: Claimed): Promise<void> {
  await trx
    .deleteFrom('idempotencyRecords')
    .where('expiresOn', '=', claim.expiresOn)
    .where('accountId', '=', accountId)
    .where('route', '=', claim.request.route)
    .where('keyHash', '=', claim.request.keyHash)
    .where('subject', '=', claim.subject)
    .where(sql`locked_until::text`, '=', claim.lock)
    .where('status', 'is', null)
    .execute()
}
