import { sql } from 'kysely'
import { isRefused, type Posting, postCredits } from '../billing/ledger.ts'
import type { Trx } from '../connection/connect.ts'
import { publishResolved, type Resolved } from './stored-validations.ts'

/** Where a validation is stored. The day is part of the key, so that a lookup reads one partition. */
export type ValidationRef = { expiresOn: string; accountId: string; id: string }

/**
 * `ai`, `catchall` and `mailbox` are the options of the request, all true by default; the plan may allow less. Without `mailbox` no mail
 * server is probed.
 */
export type NewValidation = {
  id: string
  email: string
  emailKey: string
  ai?: boolean
  catchall?: boolean
  mailbox?: boolean
  /** Not probed and refunded, because the account exceeded the daily limit of the domain. */
  domainLimited?: boolean
  /** How long the request waits for the result. */
  timeoutMs?: number
  /** Maximum age of an earlier result that the request collects; none if undefined. Not stored. */
  maxAgeS?: number | undefined
  /** Reference text of the client, returned with the result. */
  reference?: string | null
}

type Opening = {
  accountId: string
  keyId: string | null
  retentionDays: number
  /** Identifies the charge of this group; opening the same group again inserts and charges nothing. */
  group: string
  /** Number of cached results that need no row. They are charged with the rows in one transaction. */
  atHand?: number
}

export type Opened =
  | { kind: 'opened'; refs: ValidationRef[]; available: number }
  | { kind: 'opened_before' }
  | { kind: 'refused'; posting: Posting }

/**
 * Opens validations and charges one credit for each inserted row, both or neither. Takes a transaction that the caller must roll back if
 * it is rejected.
 */
export async function openValidations(trx: Trx, opening: Opening, rows: NewValidation[]): Promise<Opened> {
  const { keyId, group, atHand = 0 } = opening
  const refs = rows.length > 0 ? await insertRows(trx, opening, rows) : []
  if (rows.length > 0 && refs.length === 0) return { kind: 'opened_before' }

  const posting = await postCredits(trx, { kind: 'charge', credits: refs.length + atHand, subject: group, keyId })
  if (isRefused(posting)) return { kind: 'refused', posting }
  if (posting.kind === 'replayed') throw new Error(`group ${group} was already charged for other rows`)
  return { kind: 'opened', refs, available: posting.available }
}

/** Passes arrays, so that one statement of one shape serves any number of rows. */
async function insertRows(trx: Trx, { accountId, keyId, retentionDays }: Opening, rows: NewValidation[]) {
  const ids = rows.map((row) => row.id)
  const emails = rows.map((row) => row.email)
  const emailKeys = rows.map((row) => row.emailKey)
  // A validation can take up to 24 hours, so it is stored for that long even without retention.
  const inserted = await sql<ValidationRef>`
    insert into validations (expires_on, account_id, key_id, id, email, email_key, ai, catchall, mailbox, domain_limited, reference,
      awaited_until)
    select utc_today() + greatest(${retentionDays}::integer, 1), ${accountId}, ${keyId}, r.id, r.email, r.email_key, r.ai, r.catchall, r.mailbox,
      r.domain_limited, r.reference, clock_timestamp() + make_interval(secs => r.timeout_ms / 1000.0)
    from unnest(${ids}::uuid[], ${emails}::text[], ${emailKeys}::text[], ${rows.map(({ ai = true }) => ai)}::boolean[],
      ${rows.map(({ catchall = true }) => catchall)}::boolean[], ${rows.map(({ mailbox = true }) => mailbox)}::boolean[],
      ${rows.map(({ domainLimited = false }) => domainLimited)}::boolean[],
      ${rows.map(({ timeoutMs }) => timeoutMs ?? null)}::integer[], ${rows.map(({ reference }) => reference ?? null)}::text[])
      as r (id, email, email_key, ai, catchall, mailbox, domain_limited, timeout_ms, reference)
    on conflict (expires_on, id, account_id) do nothing
    returning expires_on, account_id, id`.execute(trx)
  return inserted.rows
}

/** How a validation ended. The credit of an inconclusive result is refunded if the refund rule says so (is_refunded in billing.sql). */
export type Ending = { conclusive: boolean; result: unknown }

/** `owed`: the request ended without the result, which waits to be collected. */
export type Finished = { refunded: boolean; owed: boolean }

/** Stores one final result; see `finishValidations`. */
export async function finishValidation(trx: Trx, ref: ValidationRef, ending: Ending) {
  const finished = (await finishValidations(trx, ref.accountId, [{ ref, ...ending }])).get(ref.id)
  if (finished === undefined) return { kind: 'finished_before' as const }
  return { kind: finished.refunded ? ('refunded' as const) : ('charged' as const) }
}

export type Finish = Ending & { ref: ValidationRef }

/**
 * Stores the final results of one account, each once: a second call changes nothing. Refunds by the refund rule in the same
 * transaction. Returns by id how each validation ended.
 */
export async function finishValidations(
  trx: Trx,
  accountId: string,
  finishes: Finish[],
): Promise<Map<string, Finished>> {
  const outcomes = new Map<string, Finished>()
  const resolved: Resolved[] = []
  const byId = new Map(finishes.map((finish) => [finish.ref.id, finish]))
  for (const row of await writeEndings(trx, finishes)) {
    const finish = byId.get(row.id)
    outcomes.set(row.id, { refunded: row.refunded, owed: row.deferred && finish?.conclusive === true })
    if (!(row.deferred && finish)) continue
    resolved.push({ ...row, result: finish.result })
    if (!finish.conclusive) await stopWaiting(trx, finish.ref)
  }
  await publishResolved(trx, accountId, resolved)
  return outcomes
}

type EndedRow = { id: string; refunded: boolean; deferred: boolean; emailKey: string; reference: string | null }

async function writeEndings(trx: Trx, finishes: Finish[]) {
  const days = [...new Set(finishes.map((finish) => finish.ref.expiresOn))]
  const ids = finishes.map((finish) => finish.ref.id)
  const conclusive = finishes.map((finish) => finish.conclusive)
  const results = finishes.map((finish) => JSON.stringify(finish.result))
  const { rows } = await sql<EndedRow>`
    select validation_id as id, refunded, deferred, email_key, reference
    from finish_validations(${days}::date[], ${ids}::uuid[], ${conclusive}::boolean[], ${results}::json[], true)`.execute(
    trx,
  )
  return rows
}

/** Records that the request ended without a final result, so that the next request for the address can collect it. */
export async function deferResult(trx: Trx, ref: ValidationRef): Promise<boolean> {
  return (await deferResults(trx, ref.accountId, [ref])).length > 0
}

/** The same for many; validations that have already ended are not changed. Returns the ids of those that were open. */
export async function deferResults(trx: Trx, accountId: string, refs: ValidationRef[]): Promise<string[]> {
  const open: string[] = []
  for (const [day, group] of Map.groupBy(refs, (ref) => ref.expiresOn)) {
    const ids = group.map((ref) => ref.id)
    const { rows } = await sql<{ id: string }>`
      with left_open as (
        update validations v set deferred_at = coalesce(v.deferred_at, clock_timestamp())
        where v.expires_on = ${day} and v.account_id = ${accountId} and v.id = any(${ids}::uuid[]) and v.state = 'open'
        returning v.id, v.email_key, v.expires_on
      ), waiting as (
        insert into uncollected_results (account_id, email_key, validation_id, expires_on)
        select ${accountId}, email_key, id, expires_on from left_open
        on conflict do nothing
      )
      select id from left_open`.execute(trx)
    open.push(...rows.map(({ id }) => id))
  }
  return open
}

/** The final result of an earlier request that ended without one: returned once, free of charge. */
export async function collectResult(trx: Trx, accountId: string, emailKey: string): Promise<unknown> {
  return (await collectResults(trx, accountId, [emailKey])).get(emailKey)?.result
}

/** The same for several addresses, by key. */
export async function collectResults(trx: Trx, accountId: string, emailKeys: string[]) {
  return collectEach(trx, await listUncollected(trx, accountId, emailKeys))
}

/**
 * Uncollected results of earlier requests for these addresses, by key: final results, which are collected with this, free and once, and
 * validations in progress, which the request joins. There are few, so this is one query for most requests.
 */
export async function resumeOrCollect(trx: Trx, accountId: string, waits: ReadonlyMap<string, Wait>) {
  const uncollected = await listUncollected(trx, accountId, [...waits.keys()])
  await extendWaits(trx, accountId, uncollected, waits)
  // In this order: a validation that ends between the two queries is found by the second.
  const inProgress = await listInProgress(trx, accountId, uncollected)
  const collected = await collectEach(trx, uncollected, waits)
  return { underWay: inProgress, collected }
}

/** How long a request waits, and how old a result that it collects may be. */
export type Wait = { timeoutMs: number; maxAgeS?: number | undefined }

type Uncollected = ValidationRef & { emailKey: string }

/** Passes an array, so that the statement has one shape for any number of keys. */
async function listUncollected(trx: Trx, accountId: string, emailKeys: string[]): Promise<Uncollected[]> {
  if (emailKeys.length === 0) return []
  const { rows } = await sql<Uncollected>`
    select email_key, expires_on, account_id, validation_id as id from uncollected_results
    where account_id = ${accountId} and email_key = any (${emailKeys}::text[])`.execute(trx)
  return rows
}

async function collectEach(trx: Trx, uncollected: Uncollected[], waits?: ReadonlyMap<string, Wait>) {
  const collected = new Map<string, { id: string; result: unknown }>()
  for (const { emailKey, ...ref } of uncollected) {
    if (collected.has(emailKey)) continue
    const row = await collectOne(trx, ref, waits?.get(emailKey)?.maxAgeS)
    if (row) collected.set(emailKey, { id: ref.id, result: row.result })
  }
  return collected
}

/** Collects the final result of a deferred validation if it is conclusive, not collected yet and not older than `maxAgeS`. */
export async function collectOne(
  trx: Trx,
  ref: ValidationRef,
  maxAgeS?: number,
): Promise<{ result: unknown } | undefined> {
  const oldest = sql<Date>`clock_timestamp() - make_interval(secs => ${maxAgeS ?? null}::float8)`
  const row = await update(trx, ref)
    .set({ collectedAt: NOW })
    .where('conclusive', '=', true)
    .where('deferredAt', 'is not', null)
    .where('collectedAt', 'is', null)
    .$if(maxAgeS !== undefined, (query) => query.where('finishedAt', '>=', oldest))
    .returning('result')
    .executeTakeFirst()
  if (row) await stopWaiting(trx, ref)
  return row
}

/**
 * Keeps a validation that this request joins from being withdrawn before the request stops waiting. Only those that no worker has claimed
 * can be withdrawn, so only their rows are locked: workers settle the others in groups, and two groups of locks could deadlock.
 */
async function extendWaits(trx: Trx, accountId: string, joined: Uncollected[], waits: ReadonlyMap<string, Wait>) {
  if (joined.length === 0) return
  await sql`
    update validations v
    set awaited_until = greatest(v.awaited_until, clock_timestamp() + make_interval(secs => j.timeout_ms / 1000.0))
    from unnest(${joined.map(({ id }) => id)}::uuid[], ${joined.map(({ emailKey }) => waits.get(emailKey)?.timeoutMs ?? 0)}::integer[])
      as j (id, timeout_ms)
    where v.account_id = ${accountId} and v.expires_on = any (${joined.map(({ expiresOn }) => expiresOn)}::date[]) and v.id = j.id
      and v.expires_on >= utc_today() and ${IS_UNCLAIMED}`.execute(trx)
}

/** Validations in progress, by key. */
async function listInProgress(
  trx: Trx,
  accountId: string,
  uncollected: Uncollected[],
): Promise<Map<string, ValidationRef>> {
  if (uncollected.length === 0) return new Map()
  const { rows } = await sql<{ id: string }>`
    select id from validations
    where account_id = ${accountId} and expires_on = any (${uncollected.map(({ expiresOn }) => expiresOn)}::date[])
      and id = any (${uncollected.map(({ id }) => id)}::uuid[]) and expires_on >= utc_today() and state = 'open'`.execute(
    trx,
  )
  const open = new Set(rows.map(({ id }) => id))
  return new Map(uncollected.filter(({ id }) => open.has(id)).map(({ emailKey, ...ref }) => [emailKey, ref]))
}

/** Validations by their ids alone and the account's balance, for the rare client that does not know their day. */
export async function listValidations(trx: Trx, accountId: string, ids: string[]) {
  const account = await trx
    .selectFrom('accounts')
    .select('available')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  const refs = await trx
    .selectFrom('validations')
    .select(['expiresOn', 'accountId', 'id'])
    .where('expiresOn', '>=', sql<string>`utc_today()`)
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .execute()
  return { refs, available: account.available }
}

const NOW = sql<Date>`clock_timestamp()`

/** No worker has claimed it yet. A deferred validation counts its attempts anew, so `deferrals` shows that it was claimed. */
export const IS_UNCLAIMED = sql<boolean>`v.state = 'open' and v.attempts = 0 and v.deferrals = 0`

function update(trx: Trx, ref: ValidationRef) {
  return trx
    .updateTable('validations')
    .where('expiresOn', '=', ref.expiresOn)
    .where('accountId', '=', ref.accountId)
    .where('id', '=', ref.id)
}

async function stopWaiting(trx: Trx, ref: ValidationRef): Promise<void> {
  const waiting = trx.deleteFrom('uncollectedResults').where('accountId', '=', ref.accountId)
  await waiting.where('validationId', '=', ref.id).execute()
}
