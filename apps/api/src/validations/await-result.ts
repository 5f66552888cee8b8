import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { listCurrentResults } from '@probity/database/validations/deferred'
import { collectOne, deferResult, listValidations, type ValidationRef } from '@probity/database/validations/validations'
import type { FastifyRequest } from 'fastify'
import type { Spent } from '../middleware/idempotency/with-idempotency.ts'
import type { ValidationDesk } from './dispatch.ts'
import { composeAnswer, withoutEmail } from './response.ts'
import { readTold, type Told } from './result-waiter.ts'

type AwaitResultDependencies = {
  db: Db
  desk: ValidationDesk
}

type Expected = { ref: ValidationRef; email: string; timeout: number }
type Bought = Expected & { available: number }

/** When to ask again for a verdict that is still being worked on. */
export const RETRY_AFTER_S = 30

/** Waits for a validation that was paid for; what is not settled when the time is up is left for the next request to collect. */
export async function waitForVerdict(
  services: AwaitResultDependencies,
  request: FastifyRequest,
  bought: Bought,
): Promise<Spent> {
  const { ref, available, email } = bought
  const told = await tellPaid(services, bought)
  const text = composeAnswer(request, email, { id: ref.id, ...withoutEmail(told.result) }, told.retryAt)
  const refunded = told.refunded ? 1 : 0
  return { status: 200, text, creditsCharged: 1 - refunded, creditsRemaining: available + refunded }
}

/**
 * Waits for work that an earlier request paid for, and pays nothing. An answer that comes meanwhile is this caller's, as if it had
 * come back a moment later and collected it.
 */
export async function waitForJoined(
  services: AwaitResultDependencies,
  request: FastifyRequest,
  bought: Bought,
): Promise<Spent> {
  const { ref, available, email } = bought
  const told = await tellJoined(services, bought)
  const text = composeAnswer(request, email, { id: ref.id, ...withoutEmail(told.result) }, told.retryAt)
  return { status: 200, text, creditsCharged: 0, creditsRemaining: available }
}

/** The result of a validation that was paid for, or what there is of it when the time is up. */
export async function tellPaid(services: AwaitResultDependencies, { ref, email, timeout }: Expected): Promise<Told> {
  return (await services.desk.waitingRoom.wait(ref, timeout * 1_000)) ?? leave(services, ref, email)
}

/** The same of work that an earlier request paid for; what has ended is handed out with this. */
export async function tellJoined(services: AwaitResultDependencies, { ref, email, timeout }: Expected): Promise<Told> {
  const waited = await services.desk.waitingRoom.wait(ref, timeout * 1_000, { isAnnounced: false })
  const told = waited ?? (await leave(services, ref, email))
  if (told.retryAt === null) await inTenant(services.db, ref.accountId, (trx) => collectOne(trx, ref))
  return told
}

/** Withdraws a validation that no worker has claimed. Otherwise notes that the caller goes without an answer, unless it came in this very moment. */
async function leave({ db, desk }: AwaitResultDependencies, ref: ValidationRef, email: string): Promise<Told> {
  const withdrawn = await desk.withdraw(ref, email)
  if (withdrawn) return withdrawn
  return inTenant(db, ref.accountId, async (trx) => {
    const isOpen = await deferResult(trx, ref)
    const [known] = await listCurrentResults(trx, [ref])
    if (known) return readTold(known)
    if (!isOpen) throw new Error('a validation is neither open nor final')
    return {
      result: pendingResult(email, 'timeout'),
      retryAt: Math.ceil(Date.now() / 1000) + RETRY_AFTER_S,
      refunded: false,
    }
  })
}

/** The validation that an earlier attempt at the same request paid for, if it got that far. */
export async function findEarlier({ db }: { db: Db }, accountId: string, id: string) {
  const { refs, available } = await inTenant(db, accountId, (trx) => listValidations(trx, accountId, [id]))
  const [ref] = refs
  return ref && { ref, available }
}
