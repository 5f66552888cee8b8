import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { listCurrentResults } from '@probity/database/validations/deferred'
import { collectOne, deferResults, type ValidationRef } from '@probity/database/validations/validations'
import { type KnownResult, type PaidReceipt, readCurrent } from './charge.ts'
import type { Dispatcher } from './dispatch.ts'
import { addTextFindings } from './text-findings.ts'

/** After this time a client can request a result that is not final again. */
export const RETRY_AFTER_S = 30

/** The receipts and the addresses of a request, in the same order. */
type Awaited = { receipts: PaidReceipt[]; emails: string[]; timeoutMs: number }

type AwaitDependencies = { db: Db; dispatch: Pick<Dispatcher, 'results' | 'withdraw'> }

/**
 * The results of a request, in its order. Validations that no worker has claimed at the timeout are withdrawn; others are left for a
 * later request, which collects their results.
 */
export async function awaitResults(dependencies: AwaitDependencies, awaited: Awaited): Promise<KnownResult[]> {
  const { receipts, emails } = awaited
  const arrived = await Promise.all(receipts.map((receipt, n) => awaitResult(dependencies, awaited, { receipt, n })))
  const refs = receipts.map((receipt) => ('ref' in receipt ? receipt.ref : undefined))
  const late = await deferLate(
    dependencies,
    refs.filter((ref, n) => ref !== undefined && arrived[n] === undefined) as ValidationRef[],
  )
  const retryAt = Math.ceil(Date.now() / 1000) + RETRY_AFTER_S
  const results = arrived.map((result, n): KnownResult => {
    const id = refs[n]?.id ?? ''
    const known = result ?? late.get(id)
    return known ?? { id, result: addTextFindings(pendingResult(emails[n] ?? '', 'timeout')), retryAt, refunded: false }
  })
  const joined = receipts.flatMap((receipt, n) =>
    receipt.kind === 'joined' && results[n]?.retryAt === null ? [receipt.ref] : [],
  )
  await collectJoined(dependencies, joined)
  return results
}

async function awaitResult(
  { dispatch }: AwaitDependencies,
  { emails, timeoutMs }: Awaited,
  { receipt, n }: { receipt: PaidReceipt; n: number },
): Promise<KnownResult | undefined> {
  if (!('ref' in receipt)) return receipt.known
  const { ref, kind } = receipt
  const result = await dispatch.results.wait(ref, timeoutMs, { isAnnounced: kind === 'paid_work' })
  return result ?? dispatch.withdraw(ref, emails[n] ?? '')
}

/** Results of validations that an earlier request paid for, and that ended while this one waited: this request collects them. */
async function collectJoined({ db }: AwaitDependencies, refs: ValidationRef[]): Promise<void> {
  const accountId = refs[0]?.accountId
  if (accountId === undefined) return
  await inTenant(db, accountId, async (trx) => {
    for (const ref of refs) await collectOne(trx, ref)
  })
}

/** Records that the response omits these results. Returns those that have arrived in the meantime. */
async function deferLate({ db }: AwaitDependencies, refs: ValidationRef[]): Promise<Map<string, KnownResult>> {
  const accountId = refs[0]?.accountId
  if (accountId === undefined) return new Map()
  const known = await inTenant(db, accountId, async (trx) => {
    await deferResults(trx, accountId, refs)
    return listCurrentResults(trx, refs)
  })
  return new Map(known.map((current) => [current.id, readCurrent(current)]))
}
