import type { Call } from './call.ts'
import type { CallOptions, Connection } from './connection.ts'
import type {
  Overview,
  ProviderHealth,
  RequestLogEntry,
  RequestLogEntryDetail,
  RequestLogPage as RequestPage,
} from './generated/wire.ts'

export type RequestFilter = {
  /** Only those whose response has a 2xx or 3xx (`success`), a 4xx (`client_error`) or a 5xx status (`server_error`). */
  class?: 'success' | 'client_error' | 'server_error' | undefined
  /** Only those answered with the problem of this code. */
  code?: string | undefined
  /** Only those of this key. */
  keyId?: string | undefined
  /** Only those that came at this time or later. */
  from?: string | Date | undefined
  /** Only those that came before this time. */
  to?: string | Date | undefined
}

export type RequestPageOptions = CallOptions &
  RequestFilter & {
    /** Where to go on: the `next_cursor` of the page before. */
    cursor?: string | undefined
    /** How many the page holds at most; 50 if left out, and never more than 100. */
    limit?: number | undefined
  }

/** Requests as they were answered. Scope: `account:read`. */
export type Requests = {
  /** One page, newest first. */
  list(options?: RequestPageOptions): Call<RequestPage>
  /** All of them, newest first, fetched page by page. */
  all(options?: CallOptions & RequestFilter): AsyncGenerator<RequestLogEntry, void, undefined>
  /** One by its `Request-Id`, with what is still kept of its result. */
  get(id: string, options?: CallOptions): Call<RequestLogEntryDetail>
}

export type OverviewOptions = CallOptions & {
  /** How many days up to today verdicts are shown for; 30 if left out, and at most 90. */
  days?: number | undefined
}

const PAGE = 100

export function requestsOf({ ask }: Connection): Requests {
  const list = ({ signal, timeoutMs, cursor, limit, ...filter }: RequestPageOptions = {}) =>
    ask<RequestPage>({
      signal,
      timeoutMs,
      method: 'GET',
      path: ['requests'],
      query: { ...queryOf(filter), cursor, limit },
      repeatable: true,
    })
  return {
    list,
    async *all(options = {}) {
      for (let cursor: string | undefined; ; ) {
        const { data, next_cursor }: RequestPage = await list({ ...options, cursor, limit: PAGE })
        yield* data
        if (next_cursor === null) return
        cursor = next_cursor
      }
    },
    get: (id, options = {}) => ask({ ...options, method: 'GET', path: ['requests', id], repeatable: true }),
  }
}

export function askOverview({ ask }: Connection, { days, ...options }: OverviewOptions): Call<Overview> {
  return ask({ ...options, method: 'GET', path: ['overview'], query: { days }, repeatable: true })
}

export function askProviderHealth({ ask }: Connection, options: CallOptions): Call<ProviderHealth> {
  return ask({ ...options, method: 'GET', path: ['health', 'providers'], repeatable: true })
}

function queryOf({ class: statusClass, code, keyId, from, to }: RequestFilter) {
  return { class: statusClass, code, key_id: keyId, from: timeOf(from), to: timeOf(to) }
}

function timeOf(time: string | Date | undefined): string | undefined {
  return time instanceof Date ? time.toISOString() : time
}
