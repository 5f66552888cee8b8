import { Problem } from '../http/problem.ts'

/** Faults that pass by themselves: no connection, their server's error, too many questions. */
const PASSING = new Set(['StripeConnectionError', 'StripeAPIError', 'StripeRateLimitError'])
const RETRY_S = 5

/**
 * Calls Stripe. Its errors are not passed on, because they contain parts of the secret key and user input, which must not be logged.
 * A rejected request becomes an error that names only its kind.
 */
export async function askStripe<T>(question: Promise<T>): Promise<T> {
  try {
    return await question
  } catch (error) {
    throw describe(error)
  }
}

type Fault = { type: string; code?: string; statusCode?: number; requestId?: string }

function describe(error: unknown): unknown {
  if (!isFault(error)) return error
  const { type, code, statusCode, requestId } = error
  if (PASSING.has(type)) return new Problem('service_unavailable', UNREACHABLE, { retryAfterS: RETRY_S })
  return new Error(`Stripe rejected a request: ${type}, ${code}, status ${statusCode}, request ${requestId}`)
}

const UNREACHABLE = 'The payment provider is unavailable. Nothing was bought. Try again later.'

function isFault(error: unknown): error is Error & Fault {
  return error instanceof Error && 'type' in error && typeof error.type === 'string'
}
