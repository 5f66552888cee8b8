import { pendingResult, type StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { type Db, inTenant, type Trx } from '@probity/database/connection/connect'
import { listCurrentResults } from '@probity/database/validations/deferred'
import {
  collectOne,
  deferResults,
  finishValidations,
  listValidations,
  openValidations,
  resumeOrCollect,
  type ValidationRef,
} from '@probity/database/validations/validations'
import { completeCached } from '@probity/engine/address/cached-result'
import { readRecentResults } from '@probity/redis/cache'
import type { Redis } from 'ioredis'
import type { Caller } from '../middleware/authentication/auth.ts'
import { type Attempt, refuseUnpaid } from '../middleware/idempotency/with-idempotency.ts'
import type { RecentKeys } from '../middleware/rate-limit/recent-keys.ts'
import { RETRY_AFTER_S } from './await-result.ts'
import { balanceOf } from './charge.ts'
import type { ValidationDesk } from './dispatch.ts'
import type { Entry } from './entries.ts'
import { readTold, type Told } from './result-waiter.ts'

type ListDependencies = {
  db: Db
  redis: Redis
  recentKeyOf: RecentKeys['keyOf']
  desk: ValidationDesk
}

/** How one address of a list was come by: work to wait for, an answer at hand, or what an earlier request had paid for. */
type Lot =
  | { kind: 'work'; ref: ValidationRef }
  | { kind: 'joined'; ref: ValidationRef }
  | { kind: 'known'; told: Told }
  | { kind: 'collected'; id: string; result: StoredResult }

export type BoughtList = { entries: Entry[]; lots: Lot[]; creditsCharged: number; available: number }

type ListAttempt = Attempt & { timeoutMs: number; maxAgeS?: number | undefined; reference: string | null }

/** Pays for a whole list or for none of it, in one transaction, and hands what is to be worked out to the workers. */
export async function buyList(
  services: ListDependencies,
  caller: Caller,
  entries: Entry[],
  attempt: ListAttempt,
): Promise<BoughtList> {
  const { accountId } = caller
  const earlier = attempt.resumed ? await findEarlier(services, accountId, entries) : undefined
  if (earlier) return earlier

  const recents = await findRecents(services, caller, entries, attempt.maxAgeS)
  const bought = await inTenant(services.db, accountId, (trx) => buy(trx, caller, entries, { recents, attempt }))
  const open = bought.lots.flatMap((lot) => (lot.kind === 'work' ? [lot.ref] : []))
  if (open.length > 0) services.desk.handOver(open)
  return bought
}

/** What an earlier attempt at the same request paid for, if it got that far. A free answer that it collected is gone with it. */
async function findEarlier({ db }: { db: Db }, accountId: string, entries: Entry[]): Promise<BoughtList | undefined> {
  const ids = entries.map(({ id }) => id)
  const found = await inTenant(db, accountId, async (trx) => {
    const { refs, available } = await listValidations(trx, accountId, ids)
    return { refs, available, known: await listCurrentResults(trx, refs) }
  })
  if (found.refs.length === 0) return undefined
  const refs = new Map(found.refs.map((ref) => [ref.id, ref]))
  const known = new Map(found.known.map((one) => [one.id, readTold(one)]))
  const lots = entries.map(({ id, email }): Lot => {
    const [ref, told] = [refs.get(id), known.get(id)]
    if (told) return { kind: 'known', told }
    return ref ? { kind: 'work', ref } : { kind: 'collected', id, result: pendingResult(email, 'internal_error') }
  })
  return { entries, lots, creditsCharged: refs.size, available: found.available }
}

/** The account's recent results for the list, by the place of the entry. Without Redis there are none. */
async function findRecents(
  { redis, recentKeyOf }: ListDependencies,
  caller: Caller,
  entries: Entry[],
  maxAgeS: number | undefined,
) {
  const recents = new Map<number, StoredResult>()
  const keys = entries.map(({ kept, features }) => recentKeyOf(caller, kept, features))
  if (caller.retentionDays === 0 || maxAgeS === 0 || keys.includes(undefined)) return recents
  try {
    const texts = await readRecentResults(redis, keys as string[], maxAgeS)
    for (const [n, text] of texts.entries()) {
      const email = entries[n]?.kept ?? ''
      if (text !== null) recents.set(n, { ...JSON.parse(completeCached(text, email)), email })
    }
  } catch {
    // Redis is away: then everything is asked anew.
  }
  return recents
}

type Purchase = { recents: Map<number, StoredResult>; attempt: ListAttempt }

async function buy(trx: Trx, caller: Caller, entries: Entry[], { recents, attempt }: Purchase): Promise<BoughtList> {
  const { accountId, id: keyId, retentionDays } = caller
  const { timeoutMs, maxAgeS, reference } = attempt
  const waits = new Map(entries.map(({ emailKey }) => [emailKey, { timeoutMs, maxAgeS }]))
  const { underWay, collected } = await resumeOrCollect(trx, accountId, waits)
  const paid = entries.filter(({ emailKey }) => !collected.has(emailKey) && !underWay.has(emailKey))
  const options = { timeoutMs, reference }
  const rows = paid.map(({ id, kept, emailKey, features }) => ({ id, email: kept, emailKey, ...features, ...options }))
  const opening = { accountId, keyId, retentionDays, group: attempt.subject }
  const opened = rows.length > 0 ? await openValidations(trx, opening, rows) : undefined
  if (opened?.kind === 'refused') throw refuseUnpaid(opened.posting)
  if (opened?.kind === 'opened_before') throw new Error('a fresh list was opened before')

  const refs = new Map(opened?.refs.map((ref) => [ref.id, ref]))
  await finishRecents(trx, accountId, { entries, recents, refs })
  const lots = entries.map(({ id, emailKey }, n): Lot => {
    const [ref, recent] = [refs.get(id), recents.get(n)]
    if (ref && recent) return { kind: 'known', told: { result: recent, retryAt: null, refunded: false } }
    if (ref) return { kind: 'work', ref }
    const [answer, going] = [collected.get(emailKey), underWay.get(emailKey)]
    if (answer === undefined && going) return { kind: 'joined', ref: going }
    return { kind: 'collected', id: answer?.id ?? '', result: answer?.result as StoredResult }
  })
  const available = opened?.available ?? (await balanceOf(trx))
  return { entries, lots, creditsCharged: refs.size, available }
}

type Opened = { entries: Entry[]; recents: Map<number, StoredResult>; refs: Map<string, ValidationRef> }

/** What is recent need not be worked out: its row is final from the start. */
async function finishRecents(trx: Trx, accountId: string, { entries, recents, refs }: Opened): Promise<void> {
  const finishes = [...recents].flatMap(([n, result]) => {
    const ref = refs.get(entries[n]?.id ?? '')
    return ref ? [{ ref, conclusive: true, result }] : []
  })
  if (finishes.length > 0) await finishValidations(trx, accountId, finishes)
}

/** The id of the validation behind each entry, under which its result is stored. */
export function idsOf({ entries, lots }: BoughtList): string[] {
  return entries.map(({ id }, n) => {
    const lot = lots[n]
    if (lot?.kind === 'joined') return lot.ref.id
    return lot?.kind === 'collected' ? lot.id : id
  })
}

/** The verdicts of a list, in its order. What is not settled when the time is up is left for later requests to collect. */
export async function waitForList(
  services: ListDependencies,
  { entries, lots }: BoughtList,
  timeoutMs: number,
): Promise<Told[]> {
  const { waitingRoom, withdraw } = services.desk
  const waits = lots.map(async (lot, n) => {
    if (lot.kind === 'collected') return { result: lot.result, retryAt: null, refunded: false }
    if (lot.kind === 'known') return lot.told
    const told = await waitingRoom.wait(lot.ref, timeoutMs, { isAnnounced: lot.kind === 'work' })
    return told ?? withdraw(lot.ref, entries[n]?.kept ?? '')
  })
  const answers = await Promise.all(waits)
  const refs = lots.map((lot) => ('ref' in lot ? lot.ref : undefined))
  const late = await leaveLate(
    services,
    refs.filter((ref, n) => ref !== undefined && answers[n] === undefined) as ValidationRef[],
  )
  const retryAt = Math.ceil(Date.now() / 1000) + RETRY_AFTER_S
  const told = answers.map(
    (answer, n): Told =>
      answer ??
      late.get(refs[n]?.id ?? '') ?? {
        result: pendingResult(entries[n]?.email ?? '', 'timeout'),
        retryAt,
        refunded: false,
      },
  )
  const joined = lots.flatMap((lot, n) => (lot.kind === 'joined' && told[n]?.retryAt === null ? [lot.ref] : []))
  await takeAway(services, joined)
  return told
}

/** Answers that came while we waited for work which an earlier request had paid for: they are handed out now. */
async function takeAway({ db }: { db: Db }, refs: ValidationRef[]): Promise<void> {
  const accountId = refs[0]?.accountId
  if (accountId === undefined) return
  await inTenant(db, accountId, async (trx) => {
    for (const ref of refs) await collectOne(trx, ref)
  })
}

/** Notes that the caller goes without these answers, unless they came in this very moment: those are returned. */
async function leaveLate({ db }: { db: Db }, refs: ValidationRef[]): Promise<Map<string, Told>> {
  const accountId = refs[0]?.accountId
  if (accountId === undefined) return new Map()
  const known = await inTenant(db, accountId, async (trx) => {
    await deferResults(trx, accountId, refs)
    return listCurrentResults(trx, refs)
  })
  return new Map(known.map((one) => [one.id, readTold(one)]))
}
