import type {
  Account,
  Model as DeliverabilityModel,
  Erasure,
  ErasureRequest,
  FeedbackReport,
  FeedbackSummary,
  LedgerEntry,
  Overview,
  ProviderHealth,
  RequestLogEntry,
  RequestLogEntryDetail,
  RequestLogPage,
  UpdateAccountRequest,
  Usage,
} from './generated/api-types.ts'
import { listByCursor, listBySkip, type PageOptions, type PagePromise } from './http/pages.ts'
import { splitOptions, toBody, toQuery } from './http/request-body.ts'
import type { ApiPromise } from './http/response.ts'
import type { IdempotentRequestOptions, RequestOptions, Transport } from './http/transport.ts'

export type UpdateAccountOptions = RequestOptions & {
  /** Name of the account, 1 to 200 characters. */
  name?: string | undefined
  /** Days until new results are deleted. */
  retentionDays?: number | undefined
  /** Low-credit threshold in `low_at`; null for the default, a tenth of the credits that were last bought or granted. */
  credits?: { low_at: number | null } | undefined
  /** Conditions for `safe_to_send`: lowest `deliverability` and excluded traits. */
  sending?: UpdateAccountRequest['sending'] | undefined
}

/** The account of the key. Scopes: `account:read`, and `account:write` for changes. */
export type AccountApi = {
  /** Plan, credits and limits of the account, and the calling key. */
  get(options?: RequestOptions): ApiPromise<Account>
  /** Changes the given settings. Undefined if the key lacks `account:read`, as with `webhooks:write` only, which changes `credits`. */
  update(options: UpdateAccountOptions): ApiPromise<Account | undefined>
}

export function createAccountApi({ request }: Transport): AccountApi {
  return {
    get: (options = {}) => request({ ...options, method: 'GET', path: ['account'] }),
    update(options) {
      const { call, fields } = splitOptions(options)
      const json: UpdateAccountRequest = toBody(fields)
      return request({ ...call, method: 'PATCH', path: ['account'], json })
    },
  }
}

export type UsageOptions = RequestOptions & {
  /** First day (UTC), for example 2026-11-02. Default: 29 days before `to`. */
  from?: string | undefined
  /** Last day (UTC). Default: today. */
  to?: string | undefined
  /** Whether to return an entry per day, in `days`, or per key, in `keys`. Default: `day`. */
  by?: 'day' | 'key' | undefined
}

export function getUsage({ request }: Transport, options: UsageOptions): ApiPromise<Usage> {
  const { call, fields } = splitOptions(options)
  return request({ ...call, method: 'GET', path: ['usage'], query: toQuery(fields) })
}

export type OverviewOptions = RequestOptions & {
  /** Number of days up to today, at most 90. Default: 30. */
  days?: number | undefined
}

export function getOverview({ request }: Transport, options: OverviewOptions): ApiPromise<Overview> {
  const { call, fields } = splitOptions(options)
  return request({ ...call, method: 'GET', path: ['overview'], query: toQuery(fields) })
}

export function getProviderHealth({ request }: Transport, options: RequestOptions): ApiPromise<ProviderHealth> {
  return request({ ...options, method: 'GET', path: ['health', 'providers'] })
}

export type LedgerFilter = {
  /** Only transactions of this kind, or one of these. */
  kind?: string | readonly string[] | undefined
  /** First day (UTC), for example 2026-11-02. */
  from?: string | undefined
  /** Last day (UTC). */
  to?: string | undefined
  /** Only transactions of this key; `none` for those without a key. */
  keyId?: string | undefined
}

/** Credit transactions. Scope: `account:read`. */
export type LedgerApi = {
  /** Transactions, newest first. For long periods the download is faster. */
  list(options?: RequestOptions & PageOptions & LedgerFilter): PagePromise<LedgerEntry>
  /** All transactions as CSV, newest first. */
  download(options?: RequestOptions & LedgerFilter): ApiPromise<ReadableStream<Uint8Array>>
}

export function createLedgerApi(transport: Transport): LedgerApi {
  return {
    list: (options = {}) => listBySkip(transport, ['ledger'], options),
    download(options = {}) {
      const { call, fields } = splitOptions(options)
      const query = toQuery({ ...fields, format: 'csv' })
      return transport.download({ ...call, method: 'GET', path: ['ledger'], query })
    },
  }
}

export type ReportFeedbackOptions = IdempotentRequestOptions & {
  /** Number of messages that were sent in total. The reported deliveries then represent those that are not reported. */
  sentTotal?: number | undefined
  /** Day on which the messages were sent, for example 2026-11-02. Default: today. */
  sentOn?: string | undefined
  /** Job whose results the messages were based on. */
  jobId?: string | undefined
}

/** Delivery outcomes of sent messages. Scope: `validations:write`. */
export type FeedbackApi = {
  /** Reports up to 10,000 messages, delivered and bounced. Free. A repeated report counts once. */
  report(messages: FeedbackReport['messages'], options?: ReportFeedbackOptions): ApiPromise<FeedbackSummary>
}

export function createFeedbackApi({ request }: Transport): FeedbackApi {
  return {
    report(messages, options = {}) {
      const { call, fields } = splitOptions(options)
      const json: FeedbackReport = { messages, ...toBody(fields) }
      return request({ ...call, method: 'POST', path: ['feedback'], json })
    },
  }
}

/** The model behind `deliverability`. Scope: `account:read`. */
export type ModelApi = {
  /** Parameters of the model, and its predictions compared with reported outcomes. */
  get(options?: RequestOptions): ApiPromise<DeliverabilityModel>
}

export function createModelApi({ request }: Transport): ModelApi {
  return { get: (options = {}) => request({ ...options, method: 'GET', path: ['model'] }) }
}

/** The service may take two minutes to search the stored data. */
const ERASURE_TIMEOUT_MS = 150_000

/** Deletion of all data about an address. Needs a live key with the scope `account:write`. */
export type ErasuresApi = {
  /**
   * Deletes everything that the account stores about the address, in any spelling, in live and test mode, and returns the number of
   * deleted objects by kind. Rejects with the code `job_in_progress` if a job that has not ended contains the address; nothing is
   * deleted then.
   */
  create(email: string, options?: IdempotentRequestOptions): ApiPromise<Erasure>
}

export function createErasuresApi({ request }: Transport): ErasuresApi {
  return {
    create(email, { timeoutMs = ERASURE_TIMEOUT_MS, ...options } = {}) {
      const json: ErasureRequest = { email }
      return request({ ...options, timeoutMs, method: 'POST', path: ['erasures'], json })
    },
  }
}

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
