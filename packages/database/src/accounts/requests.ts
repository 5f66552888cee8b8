import type { RequestClass, RequestSource } from '@probity/contract/constants/accounts'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { type RawBuilder, sql } from 'kysely'
import { type Db, type Trx, withoutTenant } from '../connection/connect.ts'
import type { View } from '../connection/scope.ts'

/** An entry of the request log. */
export type LoggedRequest = {
  id: string
  accountId: string
  at: Date
  mode: View['mode']
  source: RequestSource
  method: string
  route: string
  status: number
  code: string | null
  keyId: string | null
  durationMs: number
  verdict: string | null
  subStatus: string | null
  credits: number | null
  validationId: string | null
}

export type RequestRow = Omit<LoggedRequest, 'accountId' | 'source'> & { source: string; keyName: string | null }

/** Adds requests of any accounts to the log, with a retention in days after today. */
export async function recordRequests(db: Db, requests: LoggedRequest[], keptDays: number): Promise<void> {
  const rows = requests.map((one) => ({
    account_id: one.accountId,
    id: one.id,
    at: one.at,
    mode: one.mode,
    source: one.source,
    method: one.method,
    route: one.route,
    status: one.status,
    code: one.code,
    key_id: one.keyId,
    duration_ms: one.durationMs,
    verdict: one.verdict,
    sub_status: one.subStatus,
    credits: one.credits,
    validation_id: one.validationId,
  }))
  await withoutTenant(db, (trx) =>
    sql`select record_requests(${JSON.stringify(rows)}::jsonb, ${keptDays}::integer)`.execute(trx),
  )
}

/** Filters of the log. A field that is not set excludes nothing. */
export type RequestFilter = {
  class?: RequestClass | undefined
  code?: string | undefined
  keyId?: string | undefined
  from?: Date | undefined
  to?: Date | undefined
}

/** Cursor of a page: requests before this one. */
export type RequestCursor = { at: Date; id: string }

export type RequestsFound = { rows: RequestRow[]; next: RequestCursor | undefined }

/** The number of rows that a page reads at most to find matching ones: an account may have made millions of requests. */
const LOOKED_AT_MAX = 50_000

type Reading = RequestFilter & { before?: RequestCursor | undefined; limit: number; lookedAtMax?: number }

/**
 * One page of an account's requests, newest first. If few match the filter, a page can have fewer rows than the limit and still have a
 * next page.
 */
export async function listRequests(trx: Trx, view: View, reading: Reading): Promise<RequestsFound> {
  const { limit, lookedAtMax = LOOKED_AT_MAX } = reading
  const candidates = sql`
    select * from requests r where ${indexedConditions(view, reading)} order by r.at desc, r.id desc limit ${lookedAtMax}`
  const { rows } = await sql<RequestRow>`
    select ${COLUMNS} from (${candidates}) r left join api_keys k on k.id = r.key_id and k.account_id = r.account_id
    where ${matches(reading)} order by r.at desc, r.id desc limit ${limit + 1}`.execute(trx)
  if (rows.length > limit) {
    const shown = rows.slice(0, limit)
    return { rows: shown, next: shown.at(-1) }
  }
  return { rows, next: await findEnd(trx, view, { ...reading, lookedAtMax }) }
}

/** The last row that was read, if there is another one after it. */
async function findEnd(trx: Trx, view: View, reading: Reading & { lookedAtMax: number }) {
  const { rows } = await sql<RequestCursor>`
    select r.at, r.id from requests r where ${indexedConditions(view, reading)}
    order by r.at desc, r.id desc offset ${reading.lookedAtMax - 1} limit 2`.execute(trx)
  return rows.length > 1 ? rows[0] : undefined
}

const COLUMNS = sql`
  r.id, r.at, r.mode, r.source, r.method, r.route, r.status, r.code, r.key_id, k.name as key_name, r.duration_ms, r.verdict,
  r.sub_status, r.credits, r.validation_id`

/** The conditions that an index covers: rejected requests only if the filter needs no others. Expired rows may exist for another hour. */
function indexedConditions(
  { accountId, mode }: View,
  { before, from, to, code, ...filter }: Reading,
): RawBuilder<unknown> {
  const isError = code !== undefined || filter.class === 'client_error' || filter.class === 'server_error'
  const conditions = [
    sql`r.expires_on >= utc_today() and r.account_id = ${accountId} and r.mode = ${mode}`,
    ...(isError ? [sql`r.status >= 400`] : []),
    ...(before ? [sql`(r.at, r.id) < (${before.at}, ${before.id}::uuid)`] : []),
    ...(from ? [sql`r.at >= ${from}`] : []),
    ...(to ? [sql`r.at < ${to}`] : []),
  ]
  return sql.join(conditions, sql` and `)
}

const STATUSES: Record<RequestClass, RawBuilder<unknown>> = {
  success: sql`r.status < 400`,
  client_error: sql`r.status between 400 and 499`,
  server_error: sql`r.status >= 500`,
}

function matches({ class: statusClass, code, keyId }: RequestFilter): RawBuilder<unknown> {
  const conditions = [
    sql`true`,
    ...(statusClass ? [STATUSES[statusClass]] : []),
    ...(code ? [sql`r.code = ${code}`] : []),
    ...(keyId ? [sql`r.key_id = ${keyId}::uuid`] : []),
  ]
  return sql.join(conditions, sql` and `)
}

/** One request by its id. */
export async function findRequest(trx: Trx, { accountId, mode }: View, id: string): Promise<RequestRow | undefined> {
  const { rows } = await sql<RequestRow>`
    select ${COLUMNS} from requests r left join api_keys k on k.id = r.key_id and k.account_id = r.account_id
    where r.expires_on >= utc_today() and r.account_id = ${accountId} and r.id = ${id}::uuid and r.mode = ${mode}`.execute(
    trx,
  )
  return rows[0]
}

/** The stored result of the validation that belongs to a request, unless it has expired. */
export async function findStoredResult(trx: Trx, accountId: string, validationId: string) {
  const { rows } = await sql<{ email: string; result: StoredResult }>`
    select v.email, v.result from validations v
    where v.expires_on >= utc_today() and v.account_id = ${accountId} and v.id = ${validationId}::uuid
      and v.state = 'final'`.execute(trx)
  return rows[0]
}

/** The number of error responses with one problem code. */
export type ProblemCount = { code: string; status: number; count: number; lastAt: Date }

const COUNTED_MAX = 50_000

/**
 * The problem codes of rejected requests since a time, the most frequent first; counted over the newest requests if there are very many.
 */
export async function countProblems(trx: Trx, view: View, since: Date, limit: number): Promise<ProblemCount[]> {
  const refused = sql`
    select r.* from requests r where ${indexedConditions(view, { from: since, class: 'client_error', limit })}
    order by r.at desc, r.id desc limit ${COUNTED_MAX}`
  const { rows } = await sql<ProblemCount>`
    select r.code, min(r.status)::integer as status, count(*) as count, max(r.at) as last_at
    from (${refused}) r where r.code is not null
    group by r.code order by count(*) desc, r.code limit ${limit}`.execute(trx)
  return rows
}
