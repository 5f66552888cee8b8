import { sql } from 'kysely'
import type { Trx } from '../connection/connect.ts'

/** How long a claimed request may take before another attempt may go on in its place. Longer than any request may. */
const LOCK_S = 60

export type IdempotentRequest = { route: string; keyHash: Buffer; fingerprint: Buffer }
export type KeptAnswer = { status: number; headers: Record<string, string>; body: string }

/** A request that may go on. The day says in which partition its record is kept. */
export type Claimed = {
  kind: 'claimed' | 'resumed'
  request: IdempotentRequest
  subject: string
  expiresOn: string
  /** Until when the claim holds, to the microsecond: whoever resumes it has another, and then this one is void. */
  lock: string
}

export type Claim = Claimed | { kind: 'replay'; answer: KeptAnswer } | { kind: 'in_progress' } | { kind: 'mismatch' }

type ClaimRow = { outcome: Claim['kind']; subject: string; expiresOn: string; lock: string } & KeptAnswer

/** Takes an Idempotency-Key for the transaction's tenant, or says what became of the request that took it first. */
export async function claimIdempotency(trx: Trx, request: IdempotentRequest): Promise<Claim> {
  const { route, keyHash, fingerprint } = request
  const { rows } = await sql<ClaimRow>`
    select * from claim_idempotency(${route}, ${keyHash}, ${fingerprint}, ${LOCK_S})`.execute(trx)
  const [row] = rows
  if (row === undefined) throw new Error('claim_idempotency returned no row')

  const { outcome: kind, subject, expiresOn, lock, status, headers, body } = row
  if (kind === 'replay') return { kind, answer: { status, headers, body } }
  if (kind === 'claimed' || kind === 'resumed') return { kind, request, subject, expiresOn, lock }
  return { kind }
}

/** Keeps the answer for whoever asks again with the same key. */
export async function saveAnswer(trx: Trx, accountId: string, claim: Claimed, answer: KeptAnswer): Promise<void> {
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

/** Gives the key back: the request was refused and had no effect, so the same key may try again. */
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
