import { overrideTargets, resolveOverride, withOverride } from '@probity/contract/override'
import type { StoredResult } from '@probity/contract/standing-result'
import { sql } from 'kysely'
import { findOverrides } from '../accounts/overrides.ts'
import type { Trx } from '../connection/connect.ts'
import { emitEvent, hasSubscriber } from '../webhooks/events.ts'

/** A validation by its id alone: its result so far and the reference of its request. */
export type StoredValidation = {
  id: string
  email: string
  /** Final where there is no `retryAt`; null where nothing is known yet. */
  result: unknown
  isOpen: boolean
  retryAt: number | null
  at: Date
  reference: string | null
}

/** As long as anything may be kept, and the day on which it ends. */
const DAYS_MAX = 366

/**
 * Day by day, so that each look touches one partition by its key: without the day the index of every partition would be read
 * from one end to the other.
 */
export async function findStoredValidation(
  trx: Trx,
  accountId: string,
  id: string,
): Promise<StoredValidation | undefined> {
  const { rows } = await sql<StoredValidation>`
    select v.* from generate_series(0, ${DAYS_MAX}::integer) as n
    cross join lateral (
      select id, email, coalesce(result, provisional) as result, state = 'open' as is_open,
        case when state = 'open' then extract(epoch from retry_at)::float8 end as retry_at,
        coalesce(finished_at, created_at) as at, reference
      from validations
      where expires_on = utc_today() + n and id = ${id} and account_id = ${accountId}
    ) v
    limit 1`.execute(trx)
  return rows[0]
}

/** A deferred validation that ended. `emailKey` and `reference` are those of its row. */
export type Resolved = { id: string; emailKey: string; answer: unknown; reference: string | null }

/** The whole event may have 20 KiB; the rest of it is for what stands around the data. */
const DATA_BYTES_MAX = 19 * 1024

/**
 * Tells of open validations that ended, each with its full answer, in the transaction that ends them. What ended without an answer
 * is not told of: its day is over, and the address with it.
 */
export async function publishResolved(trx: Trx, accountId: string, resolved: Resolved[]): Promise<void> {
  if (resolved.length === 0 || !(await hasSubscriber(trx, { mode: 'live', type: 'validation.resolved' }))) return
  const keys = resolved.map(({ emailKey }) => addressIn(emailKey))
  const found = await findOverrides(trx, accountId, keys.flatMap(overrideTargets))
  for (const [n, { id, answer, reference }] of resolved.entries()) {
    if (answer === null) continue
    const override = resolveOverride(keys[n] ?? '', found)
    const told = override ? withOverride(answer as StoredResult, override) : { ...(answer as object), override }
    const data = () => shorten({ id, ...told, reference })
    await emitEvent(trx, { mode: 'live', type: 'validation.resolved', data, holdsAddress: true })
  }
}

/** In the sandbox it is known beforehand how an open validation ends, and when. */
export function tellInSandbox(trx: Trx, resolved: Omit<Resolved, 'emailKey'>, at: Date): Promise<void> {
  const { id, answer, reference } = resolved
  const data = () => ({ id, ...(answer as object), reference })
  return emitEvent(trx, { mode: 'test', type: 'validation.resolved', data, holdsAddress: true, at })
}

/** Requests that do without something have keys that say so behind the address. */
function addressIn(emailKey: string): string {
  return emailKey.replace(/( (ai|catchall|mailbox)=false)+$/, '')
}

/** A mail server may talk at length. Then what it said is left out, and the answer can be had from the interface. */
function shorten(data: object): object {
  if (Buffer.byteLength(JSON.stringify(data)) <= DATA_BYTES_MAX) return data
  return { ...data, evidence: [], evidence_omitted: true }
}
