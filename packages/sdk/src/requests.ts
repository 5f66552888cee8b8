import type { ApiPromise } from './api-promise.ts'
import type { RequestLogEntry, RequestLogEntryDetail, RequestLogPage } from './generated/wire.ts'
import { listByCursor, type PagePromise } from './pages.ts'
import { splitOptions, toQuery } from './to-wire.ts'
import type { RequestOptions, Transport } from './transport.ts'

export type RequestLogFilter = {
  /** Only requests with a 2xx or 3xx (`success`), 4xx (`client_error`) or 5xx (`server_error`) response. */
  class?: 'success' | 'client_error' | 'server_error' | undefined
  /** Only requests that failed with this problem code. */
  code?: string | undefined
  /** Only requests of this key. */
  keyId?: string | undefined
  /** Only requests received at this time or later. */
  from?: string | Date | undefined
  /** Only requests received before this time. */
  to?: string | Date | undefined
}

export type ListRequestsOptions = RequestOptions &
  RequestLogFilter & {
    /** `nextCursor` of the previous page. */
    cursor?: string | undefined
    /** Maximum number of requests per page, at most 100. Default: 50, and 100 for iteration. */
    limit?: number | undefined
  }

/** The request log of the account. Scope: `account:read`. */
export type RequestsApi = {
  /** Requests, newest first. `retentionDays` of the page is the number of days for which requests are kept. */
  list(options?: ListRequestsOptions): PagePromise<RequestLogEntry, { retentionDays: number }>
  /** One request by its `Request-Id`, with its result as far as it is stored. */
  get(id: string, options?: RequestOptions): ApiPromise<RequestLogEntryDetail>
}

export function createRequestsApi({ request }: Transport): RequestsApi {
  return {
    list(options = {}) {
      const { call, fields } = splitOptions(options)
      const fetchPage = async (page: { cursor?: string | undefined; limit?: number | undefined }) => {
        const spec = { ...call, method: 'GET', path: ['requests'], query: toQuery({ ...fields, ...page }) } as const
        const { data: body, response } = await request<RequestLogPage>(spec).withResponse()
        const extra = { retentionDays: body.retention_days }
        return { items: body.data, nextCursor: body.next_cursor, extra, response }
      }
      return listByCursor(fetchPage, options)
    },
    get: (id, options = {}) => request({ ...options, method: 'GET', path: ['requests', id] }),
  }
}
