import { randomUUID } from 'node:crypto'
import { createBatcher } from '@probity/concurrency/scheduling'
import { type OverrideAction, overrideTargets, resolveOverride } from '@probity/contract/constants/policies'
import { pendingResult, type StoredResult } from '@probity/contract/schemas/validations/stored-result'
import type { Posting } from '@probity/database/billing/ledger'
import { type Db, inTenant, type Trx } from '@probity/database/connection/connect'
import { chargeValidations } from '@probity/database/validations/charge'
import { type CurrentResult, listCurrentResults } from '@probity/database/validations/deferred'
import {
  finishValidations,
  listValidations,
  type NewValidation,
  openValidations,
  resumeOrCollect,
  type ValidationRef,
  type Wait,
} from '@probity/database/validations/validations'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { isStorable } from '../http/text.ts'
import { lookUpOverrides } from './overrides.ts'

/** The account and the key that are charged. */
export type Payer = { accountId: string; keyId: string | null; retentionDays: number }

/**
 * Costs one credit: a validation, which is final from the start if there is a `recent` result for it, or a recent result without a row of
 * its
 * own. `listKey` is the dedupe key of the address, if known.
 */
export type Purchase = (
  | { kind: 'work'; row: NewValidation; recent?: StoredResult | undefined }
  | { kind: 'recent'; email: string; id: string; result: StoredResult }
) & { listKey?: string }

/** The result of a validation so far. `retryAt` is set while it is deferred. `refunded` is the decision of the refund rule in SQL. */
export type KnownResult = { id: string; result: StoredResult; retryAt: number | null; refunded: boolean }

/** The outcome of a purchase. Its row exists exactly if it was paid for. */
export type Receipt = PaidReceipt | { kind: 'unpaid'; posting: Posting }

export type PaidReceipt = Outcome & {
  available: number
  /** The account's override for the address, if the charge looked it up. */
  override?: OverrideAction | null
}

type Outcome =
  | { kind: 'paid_work'; ref: ValidationRef }
  /** Paid for, and the result is known: a recent one, or that of an earlier attempt at the same request. */
  | { kind: 'paid_recent'; known: KnownResult }
  /** A result that an earlier, paid request did not wait for: free, once. */
  | { kind: 'collected'; known: KnownResult }
  /** A validation that an earlier request paid for and that has no result yet. */
  | { kind: 'joined'; ref: ValidationRef }

/**
 * The purchases of one request. With a `group` they are charged under that name in one transaction, all or none. Without one,
 * purchases of several requests are charged together, and each is paid for or not.
 */
export type Order = { payer: Payer; purchases: Purchase[]; group?: string | undefined }

/** Charges one credit for each purchase and inserts its row, both or neither, before any request is answered. */
export type Charger = { charge(order: Order): Promise<Receipt[]> }

const AT_ONCE_MAX = 200

/**
 * Charges single purchases in groups: an account's balance is one row that can change some hundred times per second, and this way each
 * change
 * covers many purchases. `onCharged` gets the rows as soon as they are committed.
 */
export function createCharger(db: Db, onCharged: (refs: ValidationRef[]) => void): Charger {
  function announce(receipts: Receipt[]): Receipt[] {
    const refs = receipts.flatMap((receipt) => (receipt.kind === 'paid_work' ? [receipt.ref] : []))
    if (refs.length > 0) onCharged(refs)
    return receipts
  }

  const chargeInGroup = createBatcher<{ payer: Payer; purchase: Purchase }, Receipt>(
    AT_ONCE_MAX,
    async (_name, group) => {
      const [first] = group
      if (first === undefined) return []
      const purchases = group.map(({ purchase }) => purchase)
      return announce(await chargeGroup(db, first.payer, purchases))
    },
  )
  return {
    async charge({ payer, purchases, group }) {
      if (group !== undefined) return announce(await chargeWhole(db, { payer, purchases, group }))
      // A group is paid from one balance and counts toward the cap of one key.
      const name = `${payer.accountId} ${payer.keyId}`
      return Promise.all(purchases.map((purchase) => chargeInGroup(name, { payer, purchase })))
    },
  }
}

/** Charges as many purchases of the group as the balance covers, in order of arrival. Returns one receipt for each, in their order. */
async function chargeGroup(db: Db, payer: Payer, purchases: Purchase[]): Promise<Receipt[]> {
  const unpaid: Receipt[] = []
  for (let rest = purchases; rest.length > 0; ) {
    const charged = (await chargeAtOnce(db, payer, rest)) ?? (await chargeWithCollected(db, payer, rest))
    if (charged.kind === 'charged') return [...charged.receipts, ...unpaid]

    // More than the balance: the last ones are rejected, and those that may fit are tried again.
    const fit = countFitting(charged, rest.length)
    const { posting } = charged
    unpaid.unshift(...rest.slice(fit).map((): Receipt => ({ kind: 'unpaid', posting })))
    rest = rest.slice(0, fit)
  }
  return unpaid
}

/** Number of purchases from the front that may fit, some of which are free. The remainder of a cap is not known. */
function countFitting({ posting, free }: Unpayable, count: number): number {
  if (posting.kind === 'over_cap') return Math.floor(count / 2)
  const credits = posting.kind === 'on_hold' ? 0 : posting.available
  let cost = 0
  const over = free.findIndex((isFree) => {
    cost += isFree ? 0 : 1
    return cost > credits
  })
  return over === -1 ? free.length - 1 : over
}

type Unpayable = { kind: 'unpaid'; posting: Posting; free: boolean[] }
type Charged = { kind: 'charged'; receipts: Receipt[] } | Unpayable

/** Rolls back the transaction of purchases that cannot be paid. */
class Unpaid extends Error {
  readonly posting: Posting
  readonly free: boolean[]

  constructor(posting: Posting, free: boolean[]) {
    super(posting.kind)
    this.posting = posting
    this.free = free
  }
}

/** One statement. Undefined if an earlier validation is to be collected or joined: that is rare and takes several statements. */
async function chargeAtOnce(db: Db, payer: Payer, purchases: Purchase[]): Promise<Charged | undefined> {
  const rows = rowsOf(purchases)
  const keys = purchases.map((purchase) => purchase.listKey ?? dedupeKey(emailOf(purchase)))
  const names = keys.flatMap(overrideTargets).filter(isStorable)
  const group = { subject: randomUUID(), rows, recent: purchases.length - rows.length, names }
  const charged = await chargeValidations(db, payer, group)
  if (charged.kind === 'uncollected') return undefined
  if (charged.kind === 'refused') {
    return { kind: 'unpaid', posting: charged.posting, free: purchases.map(() => false) }
  }
  const { expiresOn, available, overrides } = charged
  const receipts = purchases.map((purchase, n): Receipt => {
    const override = overrides.size > 0 ? resolveOverride(keys[n] ?? '', overrides) : null
    if (purchase.kind === 'recent') return { kind: 'paid_recent', known: asKnown(purchase), available, override }
    const ref = { expiresOn, accountId: payer.accountId, id: purchase.row.id }
    return { kind: 'paid_work', ref, available, override }
  })
  return { kind: 'charged', receipts }
}

async function chargeWithCollected(db: Db, payer: Payer, purchases: Purchase[]): Promise<Charged> {
  return charge(db, { payer, purchases, group: randomUUID() }, async (trx, receipts) => {
    // In the transaction that charges: an override that was made before the request is seen by every process.
    const overrides = await lookUpOverrides(trx, payer.accountId, purchases.map(emailOf))
    return receipts.map((receipt, n) => ({ ...receipt, override: overrides[n] ?? null }))
  })
}

/** All purchases of a request or none. */
async function chargeWhole(db: Db, order: Required<Order> & { group: string }): Promise<Receipt[]> {
  const charged = await charge(db, order, async (_trx, receipts) => receipts)
  if (charged.kind === 'charged') return charged.receipts
  return order.purchases.map(() => ({ kind: 'unpaid', posting: charged.posting }))
}

type Completion = (trx: Trx, receipts: PaidReceipt[]) => Promise<PaidReceipt[]>

/** One transaction for all purchases of the order. `complete` runs in it. */
async function charge(db: Db, order: Order & { group: string }, complete: Completion): Promise<Charged> {
  try {
    const receipts = await inTenant(db, order.payer.accountId, async (trx) =>
      complete(trx, await chargeInTransaction(trx, order)),
    )
    return { kind: 'charged', receipts }
  } catch (error) {
    if (error instanceof Unpaid) return { kind: 'unpaid', posting: error.posting, free: error.free }
    throw error
  }
}

async function chargeInTransaction(trx: Trx, order: Order & { group: string }): Promise<PaidReceipt[]> {
  const { payer, purchases, group } = order
  const { underWay, collected } = await resumeFor(trx, payer.accountId, rowsOf(purchases))
  const free = purchases.map(
    (purchase) => purchase.kind === 'work' && (collected.has(purchase.row.id) || underWay.has(purchase.row.emailKey)),
  )
  const rows = rowsOf(purchases.filter((_, n) => !free[n]))
  const atHand = purchases.filter((purchase) => purchase.kind === 'recent').length
  const opened = rows.length + atHand > 0 ? await openValidations(trx, { ...payer, group, atHand }, rows) : undefined
  if (opened?.kind === 'refused') throw new Unpaid(opened.posting, free)
  if (opened?.kind === 'opened_before') throw new Error(`group ${group} was opened before`)

  const refs = new Map(opened?.refs.map((ref) => [ref.id, ref]))
  await finishRecent(trx, payer.accountId, { purchases, refs })
  const available = opened?.available ?? (await balanceOf(trx))
  return purchases.map((purchase): PaidReceipt => {
    if (purchase.kind === 'recent') return { kind: 'paid_recent', known: asKnown(purchase), available }
    const { row, recent } = purchase
    const found = collected.get(row.id)
    if (found) {
      return { kind: 'collected', known: asKnown({ id: found.id, result: found.result as StoredResult }), available }
    }
    const earlier = underWay.get(row.emailKey)
    if (earlier) return { kind: 'joined', ref: earlier, available }
    const ref = refs.get(row.id)
    if (ref === undefined) throw new Error('a validation was opened before')
    if (recent) return { kind: 'paid_recent', known: asKnown({ id: row.id, result: recent }), available }
    return { kind: 'paid_work', ref, available }
  })
}

function rowsOf(purchases: Purchase[]): NewValidation[] {
  return purchases.flatMap((purchase) => (purchase.kind === 'work' ? [purchase.row] : []))
}

function emailOf(purchase: Purchase): string {
  return purchase.kind === 'work' ? purchase.row.email : purchase.email
}

function asKnown({ id, result }: { id: string; result: StoredResult }): KnownResult {
  return { id, result, retryAt: null, refunded: false }
}

/** Validations of earlier requests to join, and results to collect by row id: of two rows with one address only the first gets it. */
async function resumeFor(trx: Trx, accountId: string, rows: NewValidation[]) {
  const firstOfKey = new Map(rows.toReversed().map((row) => [row.emailKey, row.id]))
  const waits = new Map<string, Wait>()
  for (const { emailKey, timeoutMs = 0, maxAgeS } of rows) {
    const first = waits.get(emailKey)
    const longest = Math.max(timeoutMs, first?.timeoutMs ?? 0)
    waits.set(emailKey, { timeoutMs: longest, maxAgeS: first ? first.maxAgeS : maxAgeS })
  }
  const { underWay, collected } = await resumeOrCollect(trx, accountId, waits)
  const byRow = new Map([...collected].map(([emailKey, answer]) => [firstOfKey.get(emailKey) ?? '', answer]))
  return { underWay, collected: byRow }
}

type Opened = { purchases: Purchase[]; refs: Map<string, ValidationRef> }

/** A validation with a recent result is not dispatched: its row is final from the start. */
async function finishRecent(trx: Trx, accountId: string, { purchases, refs }: Opened): Promise<void> {
  const finishes = purchases.flatMap((purchase) => {
    const ref = purchase.kind === 'work' && purchase.recent ? refs.get(purchase.row.id) : undefined
    return ref && purchase.kind === 'work' ? [{ ref, conclusive: true, result: purchase.recent }] : []
  })
  if (finishes.length > 0) await finishValidations(trx, accountId, finishes)
}

type Requested = { id: string; email: string }

/** Receipts of an earlier attempt at the same request, if it was charged. A free result that it collected is missing. */
export async function findCharged(
  db: Db,
  accountId: string,
  requested: Requested[],
): Promise<PaidReceipt[] | undefined> {
  const ids = requested.map(({ id }) => id)
  const { refs, available, results } = await inTenant(db, accountId, async (trx) => {
    const charged = await listValidations(trx, accountId, ids)
    return { ...charged, results: await listCurrentResults(trx, charged.refs) }
  })
  if (refs.length === 0) return undefined
  const refById = new Map(refs.map((ref) => [ref.id, ref]))
  const known = new Map(results.map((result) => [result.id, readCurrent(result)]))
  return requested.map(({ id, email }): PaidReceipt => {
    const [ref, result] = [refById.get(id), known.get(id)]
    if (result) return { kind: 'paid_recent', known: result, available }
    if (ref) return { kind: 'paid_work', ref, available }
    return { kind: 'collected', known: asKnown({ id, result: pendingResult(email, 'internal_error') }), available }
  })
}

export function readCurrent({ id, result, retryAt, refunded }: CurrentResult): KnownResult {
  return { id, result: result as StoredResult, retryAt, refunded }
}

export type Credits = { creditsCharged: number; creditsRefunded: number; creditsRemaining: number }

/** Credits of a request. Results that an earlier request paid for cost nothing. */
export function sumCredits(receipts: PaidReceipt[], results: KnownResult[]): Credits {
  const paid = receipts.map(({ kind }) => kind === 'paid_work' || kind === 'paid_recent')
  const used = paid.filter(Boolean).length
  const creditsRefunded = results.filter(({ refunded }, n) => refunded && paid[n]).length
  const available = receipts[0]?.available ?? 0
  return {
    creditsCharged: used - creditsRefunded,
    creditsRefunded,
    creditsRemaining: available + creditsRefunded,
  }
}

/** Available credits of the transaction's account. */
export async function balanceOf(trx: Trx): Promise<number> {
  const account = await trx.selectFrom('accounts').select('available').executeTakeFirstOrThrow()
  return account.available
}
