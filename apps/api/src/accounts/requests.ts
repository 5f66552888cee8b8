import { PAGE_LIMIT_MAX } from '@probity/contract/constants/limits'
import {
  RequestDetail,
  type RequestEntry,
  RequestPage,
  RequestParams,
  type RequestResult,
  RequestsQuery,
} from '@probity/contract/schemas/requests'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import {
  findRequest,
  findStoredResult,
  listRequests,
  type RequestCursor,
  type RequestFilter,
  type RequestRow,
} from '@probity/database/accounts/requests'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { MIDDLEWARE_PROBLEMS, operation } from '../http/openapi.ts'
import { presentResult } from '../http/present-result.ts'
import { found, invalidField } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { viewOf } from '../middleware/authentication/auth.ts'
import type { RequestLog } from '../middleware/request-log/request-log.ts'

export function presentRequest(row: RequestRow): RequestEntry {
  return {
    id: `req_${row.id}`,
    occurred_at: row.at.toISOString(),
    livemode: row.mode === 'live',
    source: row.source,
    method: row.method,
    route: row.route,
    http_status: row.status,
    code: row.code,
    key_id: row.keyId,
    key_name: row.keyName,
    duration_ms: row.durationMs,
    result_status: row.verdict,
    sub_status: row.subStatus,
    credits: row.credits,
    validation_id: row.validationId,
  }
}

/** A result that is not part of a job and therefore has no row and no position. */
export function presentStored({ email, result }: { email: string; result: StoredResult }): RequestResult {
  const { status, sub_status: subStatus } = result
  const kept = { rowNo: 1, email, status, subStatus, result }
  const { row: _, position: __, ...presented } = presentResult(kept, { evidence: true })
  return presented
}

const PLACE = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** Encodes a position in the log as an opaque cursor. */
export function writeCursor({ at, id }: RequestCursor): string {
  return Buffer.from(`${at.getTime()}.${id}`).toString('base64url')
}

export function readCursor(cursor: string): RequestCursor {
  const [, time, id] = PLACE.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (time === undefined || id === undefined) {
    const detail = 'must be the next_cursor of a page'
    throw invalidField('/cursor', detail)
  }
  return { at: new Date(Number(time)), id }
}

type RequestsDependencies = {
  db: Db
  requestLog: RequestLog
}

const LIMIT_DEFAULT = 50
const config = { scope: 'account:read' } as const

/** The requests of the account with their responses. */
export const showRequests: Route<RequestsDependencies> = async (app, { db, requestLog }) => {
  const list = operation(
    {
      id: 'listRequests',
      tag: 'Account',
      summary: 'List requests',
      description:
        'Requests with API keys, newest first, until they expire. Live keys see the requests of live mode, test keys those of test mode. A request is listed about a second after its response. Requests without a known key are not logged.',
      problems: ['invalid_request', ...MIDDLEWARE_PROBLEMS],
    },
    { querystring: RequestsQuery, response: { 200: RequestPage } },
  )
  app.get('/requests', { schema: list, config }, async ({ auth, query }): Promise<RequestPage> => {
    const { cursor, limit = LIMIT_DEFAULT } = query
    const before = cursor === undefined ? undefined : readCursor(cursor)
    const reading = { ...readFilter(query), before, limit: Math.min(limit, PAGE_LIMIT_MAX) }
    const { rows, next } = await inTenant(db, auth.accountId, (trx) => listRequests(trx, viewOf(auth), reading))
    return {
      data: rows.map(presentRequest),
      has_more: next !== undefined,
      next_cursor: next ? writeCursor(next) : null,
      retention_days: requestLog.keptDays,
    }
  })

  const show = operation(
    {
      id: 'getRequest',
      tag: 'Account',
      summary: 'Get a request',
      description:
        'One request by the `Request-Id` of its response. A request that validated one address includes the result, until it expires.',
      problems: ['invalid_request', 'not_found', ...MIDDLEWARE_PROBLEMS],
    },
    { params: RequestParams, response: { 200: RequestDetail } },
  )
  app.get('/requests/:request_id', { schema: show, config }, async ({ auth, params }): Promise<RequestDetail> => {
    const id = params.request_id.replace('req_', '')
    return inTenant(db, auth.accountId, async (trx) => {
      const row = found(await findRequest(trx, viewOf(auth), id))
      const isReadable = row.validationId !== null && auth.scopes.includes('validations:read')
      const kept = isReadable ? await findStoredResult(trx, auth.accountId, row.validationId ?? '') : undefined
      return { ...presentRequest(row), result: kept ? presentStored(kept) : null }
    })
  })
}

function readFilter({ class: statusClass, code, key_id, from, to }: RequestsQuery): RequestFilter {
  return {
    class: statusClass,
    code,
    keyId: key_id,
    ...(from && { from: new Date(from) }),
    ...(to && { to: new Date(to) }),
  }
}
