import type { Problem } from '../generated/api-types.ts'
import { createApiError, type ProbityApiError } from './errors.ts'

/** Status and headers of a response. */
export type ResponseInfo = {
  status: number
  headers: Headers
  /** Id of the request. Quote it in support requests. */
  requestId: string | undefined
  /** Credits that the call cost; undefined for calls without a price. */
  creditsCharged: number | undefined
  /** Credits available after the call; undefined for calls without a price. */
  creditsRemaining: number | undefined
  /** Whether the response is that of an earlier request with the same idempotency key. */
  replayed: boolean
  /** Number of items on all pages; undefined for calls that do not return a page. */
  total: number | undefined
  rateLimit: RateLimit | undefined
}

/** `quota` requests are allowed per `windowSeconds`; `remaining` are left until the window resets in `resetSeconds`. */
export type RateLimit = { quota: number; windowSeconds: number; remaining: number; resetSeconds: number }

export function readResponse({ status, headers }: Response): ResponseInfo {
  return {
    status,
    headers,
    requestId: headers.get('request-id') ?? undefined,
    creditsCharged: readInteger(headers.get('credits-charged')),
    creditsRemaining: readInteger(headers.get('credits-remaining')),
    replayed: headers.get('idempotency-replayed') === 'true',
    total: readInteger(headers.get('x-total-count')),
    rateLimit: readRateLimit(headers),
  }
}

function readInteger(text: string | null): number | undefined {
  return text !== null && /^-?\d+$/.test(text) ? Number(text) : undefined
}

/** draft-ietf-httpapi-ratelimit-headers: `"account";q=600;w=60` and `"account";r=598;t=1`. */
function readRateLimit(headers: Headers): RateLimit | undefined {
  const quota = readParameter(headers.get('ratelimit-policy'), 'q')
  const windowSeconds = readParameter(headers.get('ratelimit-policy'), 'w')
  const remaining = readParameter(headers.get('ratelimit'), 'r')
  const resetSeconds = readParameter(headers.get('ratelimit'), 't')
  if (quota === undefined || windowSeconds === undefined) return undefined
  if (remaining === undefined || resetSeconds === undefined) return undefined
  return { quota, windowSeconds, remaining, resetSeconds }
}

function readParameter(field: string | null, name: string): number | undefined {
  const [, digits] = new RegExp(`;\\s*${name}=(\\d+)`).exec(field ?? '') ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** Statuses after which the same request may succeed later. */
const RETRYABLE = new Set([408, 429, 500, 502, 503, 504])

/** The error of a response without success. Reads the body to its end. */
export async function readApiError(response: Response): Promise<ProbityApiError> {
  const { status, headers } = response
  const problem = parseProblem(await response.text())
  const code = problem?.code ?? 'unexpected_response'
  return createApiError({
    code,
    status,
    detail: problem?.detail ?? 'The service returned an unreadable response. A proxy may have sent it.',
    headers,
    requestId: problem?.request_id ?? headers.get('request-id') ?? undefined,
    problem,
    retryable: RETRYABLE.has(status) || code === 'idempotency_in_progress',
    retryAfterSeconds: readRetryAfter(headers) ?? problem?.retry_after_s,
  })
}

/** The error of a redirect, or of a successful response with an unreadable body. */
export function createUnexpectedResponseError({ status, headers }: Response, detail: string): ProbityApiError {
  return createApiError({
    code: 'unexpected_response',
    status,
    detail,
    headers,
    requestId: headers.get('request-id') ?? undefined,
    problem: undefined,
    retryable: false,
    retryAfterSeconds: undefined,
  })
}

function parseProblem(text: string): Problem | undefined {
  try {
    const body: unknown = JSON.parse(text)
    return isProblem(body) ? body : undefined
  } catch {
    return undefined // the error page of a proxy, or an empty body
  }
}

function isProblem(body: unknown): body is Problem {
  if (typeof body !== 'object' || body === null) return false
  const { code, title, detail } = body as Record<string, unknown>
  return typeof code === 'string' && typeof title === 'string' && typeof detail === 'string'
}

/** Seconds or a date (RFC 9110 §10.2.3), in seconds from now. */
function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim()
  if (!text) return undefined
  if (/^\d+$/.test(text)) return Number(text)
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1_000)
}

/** A call in progress. Await it for the response body, or await its `withResponse()` for body and headers. */
export type ApiPromise<T> = Promise<T> & {
  /** Response body with status and headers. */
  withResponse(): Promise<ApiResponse<T>>
}

export type ApiResponse<T> = { data: T; response: ResponseInfo }

export function createApiPromise<T>(responded: Promise<ApiResponse<T>>): ApiPromise<T> {
  const data = responded.then((response) => response.data)
  return Object.assign(data, {
    withResponse() {
      // The caller awaits `responded` instead of `data`, whose rejection would otherwise be reported as unhandled.
      data.catch(() => undefined)
      return responded
    },
  })
}
