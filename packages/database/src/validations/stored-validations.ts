import { overrideTargets, resolveOverride, withOverride } from '@probity/contract/constants/policies'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { sql } from 'kysely'
import { findOverrides } from '../accounts/overrides.ts'
import type { Trx } from '../connection/connect.ts'
import { emitEvent, hasSubscriber } from '../webhooks/events.ts'

/** A validation by its id alone: its result so far and the reference of its request. */
export type StoredValidation = {
  id: string
  email: string
  /** Final if `retryAt` is missing; null if there is no result yet. */
  result: unknown
  isOpen: boolean
  retryAt: number | null
  at: Date
  reference: string | null
}

/** The longest retention, plus the day on which it ends. */
const DAYS_MAX = 366

/**
 * Searches day by day, so that each lookup reads one partition by its key. Without the day, PostgreSQL would scan the index of every
 * partition.
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
export type Resolved = { id: string; emailKey: string; result: unknown; reference: string | null }

/** The whole event may have 20 KiB; the rest of it is for the envelope. */
const DATA_BYTES_MAX = 19 * 1024

/**
 * Publishes open validations that ended, each with its full result, in the transaction that ends them. A validation without a result
 * is not published: it has expired.
 */
export async function publishResolved(trx: Trx, accountId: string, ended: Resolved[]): Promise<void> {
  const resolved = ended.filter(({ result }) => result !== null)
  if (resolved.length === 0 || !(await hasSubscriber(trx, { mode: 'live', type: 'validation.resolved' }))) return
  const keys = resolved.map(({ emailKey }) => addressIn(emailKey))
  const found = await findOverrides(trx, accountId, keys.flatMap(overrideTargets))
  for (const [n, { id, result, reference }] of resolved.entries()) {
    const override = resolveOverride(keys[n] ?? '', found)
    const shown = override ? withOverride(result as StoredResult, override) : { ...(result as object), override }
    const data = () => shorten({ id, ...shown, reference })
    await emitEvent(trx, { mode: 'live', type: 'validation.resolved', data, holdsAddress: true })
  }
}

/** The sandbox knows in advance how and when an open validation ends. */
export function emitInSandbox(trx: Trx, resolved: Omit<Resolved, 'emailKey'>, at: Date): Promise<void> {
  const { id, result, reference } = resolved
  const data = () => ({ id, ...(result as object), reference })
  return emitEvent(trx, { mode: 'test', type: 'validation.resolved', data, holdsAddress: true, at })
}

/** Requests with disabled features have keys with a suffix after the address. */
function addressIn(emailKey: string): string {
  return emailKey.replace(/( (ai|catchall|mailbox)=false)+$/, '')
}

/** Replies of mail servers can be long. Then the evidence is omitted, and the full result is available through the API. */
function shorten(data: object): object {
  if (Buffer.byteLength(JSON.stringify(data)) <= DATA_BYTES_MAX) return data
  return { ...data, evidence: [], evidence_omitted: true }
}
