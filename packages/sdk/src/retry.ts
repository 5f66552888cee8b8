import { ConnectionError, ProbityApiError } from './errors.ts'

const FIRST_BACKOFF_MS = 500
const BACKOFF_MAX_MS = 8_000
/** A longer Retry-After is returned to the caller as an error instead of being waited for. */
const RETRY_AFTER_MAX_MS = 30_000

/** Statuses that say nothing about the request itself: rate limit, overload, restart or an unreachable upstream. */
const TRANSIENT_STATUSES = new Set([429, 502, 503, 504])

type Attempt = { method: string; attempt: number; maxRetries: number }

/** Delay before the next attempt; undefined if the call must not be retried. */
export function findRetryDelayMs(failure: unknown, { method, attempt, maxRetries }: Attempt): number | undefined {
  if (attempt > maxRetries || !isTransient(failure, method)) return undefined
  const backoff = backoffMs(attempt)
  const retryAfterSeconds = failure instanceof ProbityApiError ? failure.retryAfterSeconds : undefined
  if (retryAfterSeconds === undefined) return backoff
  if (retryAfterSeconds * 1_000 > RETRY_AFTER_MAX_MS) return undefined
  // Never earlier than requested, with jitter on top.
  return retryAfterSeconds * 1_000 + Math.min(backoff, FIRST_BACKOFF_MS)
}

/** Full jitter: a random delay below a bound that doubles, so that clients that failed together do not retry together. */
export function backoffMs(attempt: number, firstMs = FIRST_BACKOFF_MS, maxMs = BACKOFF_MAX_MS): number {
  return Math.random() * Math.min(maxMs, firstMs * 2 ** (attempt - 1))
}

function isTransient(failure: unknown, method: string): boolean {
  if (failure instanceof ConnectionError) return true
  if (!(failure instanceof ProbityApiError)) return false
  // The first attempt is still being processed: the next one receives its response.
  if (failure.code === 'idempotency_in_progress') return true
  return TRANSIENT_STATUSES.has(failure.status) || (failure.status === 500 && method === 'GET')
}

/** Whether the service may have processed the request although its response did not arrive. A 429 is sent before processing. */
export function isResponseLost(failure: unknown): boolean {
  return failure instanceof ConnectionError || (failure instanceof ProbityApiError && failure.status >= 500)
}
