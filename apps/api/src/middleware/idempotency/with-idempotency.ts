import { randomUUID } from 'node:crypto'
import {
  type Claimed,
  releaseIdempotency,
  type StoredResponse,
  saveResponse,
} from '@probity/database/accounts/idempotency'
import type { Posting } from '@probity/database/billing/ledger'
import { type Db, inTenant } from '@probity/database/connection/connect'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../http/problem.ts'
import type { LoggedResult } from '../request-log/request-log.ts'
import { claimOrWait, identify, sendKept } from './idempotency.ts'

/** The response to a request that is charged. The public sandbox key has no account and therefore no balance. */
export type ChargedResponse = {
  status: number
  text: string
  creditsCharged: number
  creditsRemaining: number | null
  /** Fields of the result for the request log. */
  logged?: LoggedResult
}

/** One attempt at a request that is charged: the name of the charge, and whether an earlier attempt may have made it already. */
export type Attempt = { subject: string; resumed: boolean }

/** Time for an operator to review an account with a ledger mismatch. */
const ON_HOLD_RETRY_AFTER_S = 600

/** Maps the reason why credits could not be charged to a problem. A browser with a publishable key must not learn the balance. */
export function refuseUnpaid({ kind }: Posting, insufficientDetail?: string): Problem {
  if (kind === 'on_hold') return new Problem('account_on_hold', undefined, { retryAfterS: ON_HOLD_RETRY_AFTER_S })
  if (kind === 'over_cap') return new Problem('api_key_cap_reached')
  return new Problem('insufficient_credits', insufficientDetail)
}

type Dependencies = { db: Db; hurry: AbortSignal }

/**
 * Runs a request that is charged. With an Idempotency-Key it has one effect however often it is sent: the first request does the
 * work, the others wait for its response and get the same bytes, for 24 hours. `run` gets the subject to charge under; a
 * second attempt after a crash gets the same one, so that the ledger does not charge it again.
 */
export async function withIdempotency(
  dependencies: Dependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  run: (attempt: Attempt) => Promise<ChargedResponse>,
): Promise<FastifyReply> {
  const spend = async (attempt: Attempt) => {
    const { logged, ...response } = await run(attempt)
    reply.logged = logged
    return response
  }
  const identified = identify(request)
  if (identified === undefined) return sendKept(reply, keep(await spend({ subject: randomUUID(), resumed: false })))

  const { accountId } = request.auth
  const claim = await claimOrWait(dependencies, accountId, identified)
  if (claim.kind === 'replay') return sendKept(reply.header('idempotency-replayed', 'true'), claim.response)
  const answer = await spendClaimed(dependencies, accountId, claim, spend)
  return sendKept(reply, answer)
}

async function spendClaimed(
  dependencies: Dependencies,
  accountId: string,
  claim: Claimed,
  spend: (attempt: Attempt) => Promise<ChargedResponse>,
) {
  try {
    const answer = keep(await spend({ subject: claim.subject, resumed: claim.kind === 'resumed' }))
    await inTenant(dependencies.db, accountId, (trx) => saveResponse(trx, accountId, claim, answer))
    return answer
  } catch (error) {
    // Rejected before it had an effect: the same Idempotency-Key can be used again, for example with more credits. After any other error
    // the effect
    // is uncertain, so the claim stays until it expires, and then the request is resumed under the same subject.
    if (error instanceof Problem)
      await inTenant(dependencies.db, accountId, (trx) => releaseIdempotency(trx, accountId, claim))
    throw error
  }
}

function keep({ status, text, creditsCharged, creditsRemaining }: ChargedResponse): StoredResponse {
  const headers: Record<string, string> = { 'credits-charged': String(creditsCharged) }
  if (creditsRemaining !== null) headers['credits-remaining'] = String(creditsRemaining)
  return { status, headers, body: text }
}
