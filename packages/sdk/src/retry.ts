import { ProbityConnectionError, ProbityProblem, ProbityTimeoutError } from './errors.ts'

const FIRST_WAIT_MS = 500
const WAIT_MAX_MS = 8_000
/** Who is told to stay away for longer is better told at once than kept waiting. */
const RETRY_AFTER_MAX_MS = 30_000

/** Answers that say nothing of the request: the service has too much to do, is not there, or is being restarted. */
const PASSING = new Set([429, 502, 503, 504])

type Tried = { method: string; tries: number; retries: number }

/** How long to wait before a call is tried again; undefined if it must not be. */
export function waitBeforeNext(failure: unknown, { method, tries, retries }: Tried): number | undefined {
  if (tries > retries || !isPassing(failure, method)) return undefined
  const asked = failure instanceof ProbityProblem ? failure.retryAfterS : undefined
  const backoff = backoffMs(tries)
  if (asked === undefined) return backoff
  if (asked * 1_000 > RETRY_AFTER_MAX_MS) return undefined
  // Never earlier than asked, and not all at the same moment.
  return asked * 1_000 + Math.min(backoff, FIRST_WAIT_MS)
}

/** Full jitter: anything up to a bound that doubles, so that callers who failed together do not come back together. */
export function backoffMs(tries: number, firstMs = FIRST_WAIT_MS, maxMs = WAIT_MAX_MS): number {
  return Math.random() * Math.min(maxMs, firstMs * 2 ** (tries - 1))
}

function isPassing(failure: unknown, method: string): boolean {
  if (failure instanceof ProbityConnectionError || failure instanceof ProbityTimeoutError) return true
  if (!(failure instanceof ProbityProblem)) return false
  // The first try is still being worked on: the next one gets its answer.
  if (failure.code === 'idempotency_in_progress') return true
  return PASSING.has(failure.status) || (failure.status === 500 && method === 'GET')
}

/** Seconds or a date (RFC 9110 §10.2.3), in seconds from now. */
export function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim()
  if (!text) return undefined
  if (/^\d+$/.test(text)) return Number(text)
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1_000)
}
