import type { DelayReason } from '@probity/contract/constants/jobs'
import type { Probing, ProbingState } from '@probity/contract/schemas/system'
import { type Selectable, sql } from 'kysely'
import { type Db, type Trx, withoutTenant } from '../connection/connect.ts'
import type { Schema } from '../connection/schema.ts'

/**
 * Whether a live worker can probe mail servers, and the reason if none can. Undefined if there is no live worker; `except` is not
 * counted.
 */
export function findProbing(db: Db, except: string | null = null): Promise<ProbingState | undefined> {
  return withoutTenant(db, (trx) => find(trx, except))
}

/** The same for API responses. Without a worker, mail servers count as reachable and resolvers as trusted. */
export async function getProbing(trx: Trx): Promise<Probing> {
  const state = (await find(trx, null)) ?? { mode: 'smtp', reason: null }
  return { ...state, resolver_trusted: await areResolversTrusted(trx) }
}

/** Whether the resolvers of all live workers passed their last check. */
export async function areResolversTrusted(trx: Trx): Promise<boolean> {
  const { rows } = await sql<{ areTrusted: boolean }>`select resolvers_trusted() as are_trusted`.execute(trx)
  return rows[0]?.areTrusted ?? true
}

/** Why no account's validations make progress; null while a worker has a heartbeat. */
export async function findDelayReason(trx: Trx): Promise<DelayReason | null> {
  const { rows } = await sql<{ hasWorker: boolean }>`select has_worker()`.execute(trx)
  return rows[0]?.hasWorker ? null : 'no_worker'
}

async function find(trx: Trx, except: string | null): Promise<ProbingState | undefined> {
  const { rows } = await sql<ProbingState>`select * from find_probing(${except})`.execute(trx)
  return rows[0]
}

/** The results of probes of one provider by one egress. */
export type ProbeCounts = {
  provider: string
  egress: string
  /** All probes, with any result. */
  probes: number
  conclusive: number
  deferred: number
  blocked: number
  /** No response before the deadline. */
  noResponse: number
  /** Not probed because of our own rate limiter or an operator's control. */
  throttled: number
  ms: number[]
  lastBlock: string | null
}

/** Adds to the counts of the current hour. */
export async function recordProbes(db: Db, counts: ProbeCounts[]): Promise<void> {
  const rows = counts.map(({ lastBlock, noResponse, ...rest }) => ({
    ...rest,
    no_response: noResponse,
    last_block: lastBlock,
  }))
  await withoutTenant(db, (trx) => sql`select record_probes(${JSON.stringify(rows)}::jsonb)`.execute(trx))
}

/** The counts of the last hours, including the current one, by provider and egress. As an operator. */
export async function listProbes(trx: Trx, hours: number) {
  return trx
    .selectFrom('providerHours')
    .select([
      'provider',
      'egress',
      'hour',
      'probes',
      'conclusive',
      'deferred',
      'blocked',
      'noResponse',
      'throttled',
      'ms',
    ])
    .select(['lastBlock', 'lastBlockAt'])
    .where('hour', '>', sql<Date>`clock_timestamp() - make_interval(hours => ${hours})`)
    .orderBy('hour')
    .execute()
}

/** Addresses of the day per registrable domain, without free providers. */
export type DomainCounts = ReadonlyMap<string, number>

/** A domain of which an account has submitted more addresses today than it may. */
export type OverLimit = { domain: string; addresses: number; addressesMax: number }

/**
 * Counts addresses toward the daily limit per domain of the transaction's account. `base` is the limit of an account without payments.
 * Returns the domain that exceeds the limit most; the caller then opens a review.
 */
export async function countDomainAddresses(
  trx: Trx,
  counts: DomainCounts,
  base: number,
): Promise<OverLimit | undefined> {
  const { rows } = await sql<OverLimit>`
    select * from count_domain_addresses(${[...counts.keys()]}::text[], ${[...counts.values()]}::integer[], ${base})`.execute(
    trx,
  )
  return rows[0]
}

/**
 * The same, but only addresses within the limit are counted. Returns for each domain that exceeds it the number of addresses that must
 * not be probed.
 */
export async function admitDomainAddresses(trx: Trx, counts: DomainCounts, base: number): Promise<Map<string, number>> {
  const { rows } = await sql<{ domain: string; excess: number }>`
    select * from admit_domain_addresses(${[...counts.keys()]}::text[], ${[...counts.values()]}::integer[], ${base})`.execute(
    trx,
  )
  return new Map(rows.map(({ domain, excess }) => [domain, excess]))
}

/** Deletes the counts of past days and returns how many there were. */
export async function deleteOldDomainDays(db: Db): Promise<number> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ count: number }>`select delete_old_domain_days() as count`.execute(trx),
  )
  return rows[0]?.count ?? 0
}

export type OptedOutDomain = Selectable<Schema['optedOutDomains']>

/** The mail domains that must not be probed, for workers. */
export async function readOptedOut(db: Db): Promise<string[]> {
  const rows = await withoutTenant(db, (trx) => trx.selectFrom('optedOutDomains').select('domain').execute())
  return rows.map(({ domain }) => domain)
}

/** All of them with their notes. As an operator. */
export function listOptedOut(trx: Trx): Promise<OptedOutDomain[]> {
  return trx.selectFrom('optedOutDomains').selectAll().orderBy('domain').execute()
}

/** As an operator. A domain that is listed already keeps its row. */
export async function addOptedOut(trx: Trx, entry: { domain: string; note: string }): Promise<void> {
  await trx
    .insertInto('optedOutDomains')
    .values(entry)
    .onConflict((row) => row.doNothing())
    .execute()
}

/** As an operator. Returns false if the domain is not listed. */
export async function removeOptedOut(trx: Trx, domain: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('optedOutDomains')
    .where('domain', '=', domain)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
