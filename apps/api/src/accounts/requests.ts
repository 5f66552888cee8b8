import { PAGE_LIMIT_MAX } from '@probity/contract/constants/limits'
import { RequestDetail, RequestPage, RequestParams, RequestsQuery } from '@probity/contract/schemas/requests'
import { findRequest, findStoredResult, listRequests, type RequestFilter } from '@probity/database/accounts/requests'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { DOOR_PROBLEMS, operation } from '../http/openapi.ts'
import { found } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { viewOf } from '../middleware/authentication/scope.ts'
import type { RequestLog } from '../middleware/request-log/request-log.ts'
import { presentRequest, presentStanding } from './present-request.ts'
import { readCursor, writeCursor } from './request-cursor.ts'

type RequestsDependencies = {
  db: Db
  requestLog: RequestLog
}

const LIMIT_DEFAULT = 50
const config = { scope: 'account:read' } as const

/** The account's requests as they were answered. */
export const showRequests: Route<RequestsDependencies> = async (app, { db, requestLog }) => {
  const list = operation(
    {
      id: 'listRequests',
      tag: 'Account',
      summary: 'List requests',
      description:
        'Requests with API keys, newest first, until they expire. Live keys see the requests of live mode, test keys those of test mode. A request is listed about a second after its response. Requests without a known key are not logged.',
      problems: ['invalid_request', ...DOOR_PROBLEMS],
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
      problems: ['invalid_request', 'not_found', ...DOOR_PROBLEMS],
    },
    { params: RequestParams, response: { 200: RequestDetail } },
  )
  app.get('/requests/:request_id', { schema: show, config }, async ({ auth, params }): Promise<RequestDetail> => {
    const id = params.request_id.replace('req_', '')
    return inTenant(db, auth.accountId, async (trx) => {
      const row = found(await findRequest(trx, viewOf(auth), id))
      const isReadable = row.validationId !== null && auth.scopes.includes('validations:read')
      const kept = isReadable ? await findStoredResult(trx, auth.accountId, row.validationId ?? '') : undefined
      return { ...presentRequest(row), result: kept ? presentStanding(kept) : null }
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
