import { randomUUID } from 'node:crypto'
import { createBatcher } from '@probity/concurrency/scheduling'
import { type OverrideAction, overrideTargets, resolveOverride } from '@probity/contract/constants/policies'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import type { Posting } from '@probity/database/billing/ledger'
import { type Db, inTenant, type Trx } from '@probity/database/connection/connect'
import { chargeValidations } from '@probity/database/validations/charge'
import {
  type NewValidation,
  openValidations,
  resumeOrCollect,
  type ValidationRef,
  type Wait,
} from '@probity/database/validations/validations'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { isStorable } from '../http/storable.ts'
import { lookUpOverrides } from './overrides.ts'

/** Who pays. */
export type Payer = { accountId: string; keyId: string | null; retentionDays: number }

/** What is paid for: work to be done, or a recent result. `listKey` is the address as lists have it, where that is known already. */
export type Purchase = ({ kind: 'work'; row: NewValidation } | { kind: 'recent'; email: string }) & { listKey?: string }

/** What came of it, and which of the account's lists the address is on. The row is there exactly when it was paid for. */
export type Receipt = (Outcome & { override: OverrideAction | null }) | { kind: 'unpaid'; posting: Posting }

type Outcome =
  | { kind: 'paid_work'; ref: ValidationRef; available: number }
  | { kind: 'paid_recent'; available: number }
  /** An answer that an earlier, paid request was told to come back for: free, once. */
  | { kind: 'collected'; id: string; result: StoredResult; available: number }
  /** Work that an earlier request paid for and that still goes on. */
  | { kind: 'joined'; ref: ValidationRef; available: number }

/** Takes one credit for each purchase, together with the row it pays for, before anybody is answered. */
export type Till = {
  pay(payer: Payer, purchase: Purchase): Promise<Receipt>
}

const AT_ONCE_MAX = 200

/**
 * Charges in groups: an account's balance is one row that can change some hundred times a second, and this way each change is
 * worth many purchases. `opened` is told of the rows of each group as soon as they are committed.
 */
export function openTill(db: Db, opened: (refs: ValidationRef[]) => void): Till {
  const gather = createBatcher<Customer, Receipt>(AT_ONCE_MAX, async (_name, customers) => {
    const [first] = customers
    if (first === undefined) return []
    const receipts = await chargeGroup(
      db,
      first.payer,
      customers.map(({ purchase }) => purchase),
    )
    const refs = receipts.flatMap((receipt) => (receipt.kind === 'paid_work' ? [receipt.ref] : []))
    if (refs.length > 0) opened(refs)
    return receipts
  })
  // A group pays from one balance and counts against one key's cap.
  return { pay: (payer, purchase) => gather(`${payer.accountId} ${payer.keyId}`, { payer, purchase }) }
}

type Customer = { payer: Payer; purchase: Purchase }

/** Charges as many of the group, first come first served, as the balance holds. One receipt for each, in their order. */
async function chargeGroup(db: Db, payer: Payer, purchases: Purchase[]): Promise<Receipt[]> {
  const turnedAway: Receipt[] = []
  for (let rest = purchases; rest.length > 0; ) {
    const charged = await chargeAll(db, payer, rest)
    if (charged.kind === 'charged') return [...charged.receipts, ...turnedAway]

    // Too much for what is left: turn the last ones away, and try again with those that may fit.
    const fit = countFitting(charged, rest.length)
    const { posting } = charged
    turnedAway.unshift(...rest.slice(fit).map((): Receipt => ({ kind: 'unpaid', posting })))
    rest = rest.slice(0, fit)
  }
  return turnedAway
}

/** How many from the front can still be paid, when some are free. Of a cap it is not known how much is left. */
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

/** Undoes the transaction of a group that cannot be paid. */
class Unpaid extends Error {
  readonly posting: Posting
  readonly free: boolean[]

  constructor(posting: Posting, free: boolean[]) {
    super(posting.kind)
    this.posting = posting
    this.free = free
  }
}

/** One transaction for the whole group: all of it or nothing. */
async function chargeAll(db: Db, payer: Payer, purchases: Purchase[]): Promise<Charged> {
  const charged = await chargeAtOnce(db, payer, purchases)
  return charged ?? chargeWithCollected(db, payer, purchases)
}

/** Undefined if a purchase has to do with an earlier one. That is rare and takes several statements. */
async function chargeAtOnce(db: Db, payer: Payer, purchases: Purchase[]): Promise<Charged | undefined> {
  const rows = purchases.flatMap((purchase) => (purchase.kind === 'work' ? [purchase.row] : []))
  const keys = purchases.map(listKeyOf)
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
    if (purchase.kind === 'recent') return { kind: 'paid_recent', available, override }
    const ref = { expiresOn, accountId: payer.accountId, id: purchase.row.id }
    return { kind: 'paid_work', ref, available, override }
  })
  return { kind: 'charged', receipts }
}

function listKeyOf(purchase: Purchase): string {
  return purchase.listKey ?? dedupeKey(emailOf(purchase))
}

async function chargeWithCollected(db: Db, payer: Payer, purchases: Purchase[]): Promise<Charged> {
  try {
    const receipts = await inTenant(db, payer.accountId, (trx) => charge(trx, payer, purchases))
    return { kind: 'charged', receipts }
  } catch (error) {
    if (error instanceof Unpaid) return { kind: 'unpaid', posting: error.posting, free: error.free }
    throw error
  }
}

async function charge(trx: Trx, payer: Payer, purchases: Purchase[]): Promise<Receipt[]> {
  const { underWay, collected } = await takeUpFor(trx, payer.accountId, purchases)
  const free = purchases.map(
    (purchase) => purchase.kind === 'work' && (collected.has(purchase.row.id) || underWay.has(purchase.row.emailKey)),
  )
  const rows = purchases.flatMap((purchase, n) => (purchase.kind === 'work' && !free[n] ? [purchase.row] : []))
  const atHand = purchases.filter((purchase) => purchase.kind === 'recent').length
  const opening = { ...payer, group: randomUUID(), atHand }
  const opened = rows.length + atHand > 0 ? await openValidations(trx, opening, rows) : undefined
  if (opened?.kind === 'refused') throw new Unpaid(opened.posting, free)
  if (opened?.kind === 'opened_before') throw new Error('a fresh group was opened before')

  const available = opened?.available ?? (await balanceOf(trx))
  const refs = new Map(opened?.refs.map((ref) => [ref.id, ref]))
  const outcomes = purchases.map((purchase): Outcome => {
    if (purchase.kind === 'recent') return { kind: 'paid_recent', available }
    const found = collected.get(purchase.row.id)
    if (found) return { kind: 'collected', id: found.id, result: found.result as StoredResult, available }
    const going = underWay.get(purchase.row.emailKey)
    if (going) return { kind: 'joined', ref: going, available }
    const ref = refs.get(purchase.row.id)
    if (ref === undefined) throw new Error('a validation was opened before')
    return { kind: 'paid_work', ref, available }
  })
  // In the transaction that pays: what was put on a list before the request came is seen by it, in every process.
  const overrides = await lookUpOverrides(trx, payer.accountId, purchases.map(emailOf))
  return outcomes.map((outcome, n) => ({ ...outcome, override: overrides[n] ?? null }))
}

function emailOf(purchase: Purchase): string {
  return purchase.kind === 'work' ? purchase.row.email : purchase.email
}

/** What earlier requests left; answers by the id of the one row that gets each: of two who ask for it the second pays. */
async function takeUpFor(trx: Trx, accountId: string, purchases: Purchase[]) {
  const rows = purchases.flatMap((purchase) => (purchase.kind === 'work' ? [purchase.row] : []))
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

/** What the tenant of the transaction has left. */
export async function balanceOf(trx: Trx): Promise<number> {
  const account = await trx.selectFrom('accounts').select('available').executeTakeFirstOrThrow()
  return account.available
}
