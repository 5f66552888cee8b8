import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { inTenant } from '@probity/database/connect'
import type { Posting } from '@probity/database/credits'
import {
  type Claimed,
  claimIdempotency,
  type IdempotentRequest,
  type KeptAnswer,
  releaseIdempotency,
  saveAnswer,
} from '@probity/database/idempotency'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../problem.ts'
import type { Services } from '../services.ts'

/** What a call that spends came to. */
export type Spent = { status: number; text: string; creditsCharged: number; creditsRemaining: number }

/** One attempt at a call that spends: what to charge it under, and whether an earlier attempt may have done so already. */
export type Attempt = { subject: string; resumed: boolean }

/** An account whose books do not add up is looked at by people. */
const LOOK_AGAIN_AFTER_S = 600

/** Why credits could not be charged. */
export function refuseUnpaid({ kind }: Posting): Problem {
  if (kind === 'on_hold') return new Problem('account_under_audit', undefined, { retryAfterS: LOOK_AGAIN_AFTER_S })
  return new Problem(kind === 'over_cap' ? 'key_cap_reached' : 'insufficient_credits')
}

/** How long a second request waits for the first to be answered before it is told to come back. */
const WAIT_MS = 10_000
const LOOK_EVERY_MS = 50
const RETRY_AFTER_S = 1

type Door = Pick<Services, 'db' | 'hurry'>

/**
 * Runs a call that spends. With an Idempotency-Key it has one effect however often it is sent: the first request does the
 * work, the others wait for its answer and get the same bytes, for 24 hours. `spend` is given the subject to charge under; a
 * second attempt after a crash gets the same one, so that the ledger refuses to charge it again.
 */
export async function spendOnce(
  door: Door,
  request: FastifyRequest,
  reply: FastifyReply,
  spend: (attempt: Attempt) => Promise<Spent>,
): Promise<FastifyReply> {
  const identified = identify(request)
  if (identified === undefined) return sendKept(reply, keep(await spend({ subject: randomUUID(), resumed: false })))

  const { accountId } = request.caller
  const claim = await claimOrWait(door, accountId, identified)
  if (claim.kind === 'replay') return sendKept(reply.header('idempotency-replayed', 'true'), claim.answer)
  const answer = await spendClaimed(door, accountId, claim, spend)
  return sendKept(reply, answer)
}

async function spendClaimed(
  door: Door,
  accountId: string,
  claim: Claimed,
  spend: (attempt: Attempt) => Promise<Spent>,
) {
  try {
    const answer = keep(await spend({ subject: claim.subject, resumed: claim.kind === 'resumed' }))
    await inTenant(door.db, accountId, (trx) => saveAnswer(trx, accountId, claim, answer))
    return answer
  } catch (error) {
    // Refused before it had an effect: the same key may try again, with more credits for instance. After any other error the
    // effect is uncertain, so the claim stays until it runs out, and then the work is resumed under the same subject.
    if (error instanceof Problem) await inTenant(door.db, accountId, (trx) => releaseIdempotency(trx, accountId, claim))
    throw error
  }
}

type Settled = Claimed | { kind: 'replay'; answer: KeptAnswer }

async function claimOrWait({ db, hurry }: Door, accountId: string, request: IdempotentRequest): Promise<Settled> {
  const deadline = performance.now() + WAIT_MS
  while (true) {
    const claim = await inTenant(db, accountId, (trx) => claimIdempotency(trx, request))
    if (claim.kind === 'mismatch') throw new Problem('idempotency_mismatch')
    if (claim.kind !== 'in_progress') return claim
    if (hurry.aborted || performance.now() > deadline) {
      throw new Problem('idempotency_in_progress', undefined, { retryAfterS: RETRY_AFTER_S })
    }
    await sleep(LOOK_EVERY_MS)
  }
}

const KEY_FORM = /^[\x21-\x7e]{1,255}$/

function identify(request: FastifyRequest): IdempotentRequest | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !KEY_FORM.test(key)) {
    const fault = { pointer: 'Idempotency-Key', detail: 'must be 1 to 255 visible ASCII characters' }
    throw new Problem('invalid_request', undefined, { errors: [fault] })
  }
  const route = `${request.method} ${request.route.url}`
  const question = JSON.stringify([request.params, request.query, request.body])
  return { route, keyHash: sha256(key), fingerprint: sha256(question) }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function keep({ status, text, creditsCharged, creditsRemaining }: Spent): KeptAnswer {
  const headers = { 'credits-charged': String(creditsCharged), 'credits-remaining': String(creditsRemaining) }
  return { status, headers, body: text }
}

function sendKept(reply: FastifyReply, { status, headers, body }: KeptAnswer): FastifyReply {
  return reply.code(status).headers(headers).header('content-type', 'application/json; charset=utf-8').send(body)
}
