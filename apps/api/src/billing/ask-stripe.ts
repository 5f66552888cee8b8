import { Problem } from '../problem.ts'

/** Faults that pass by themselves: no connection, their server's error, too many questions. */
const PASSING = new Set(['StripeConnectionError', 'StripeAPIError', 'StripeRateLimitError'])
const RETRY_S = 5

/**
 * The edge to Stripe. Its errors stay here: they hold parts of our key and of what people have typed in, and a log is no place for
 * either. Whatever we have asked wrongly goes on as an error that names its kind.
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
  return new Error(`Stripe refused a question: ${type}, ${code}, status ${statusCode}, request ${requestId}`)
}

const UNREACHABLE = 'The payment provider cannot be reached at the moment. Nothing was bought; try again in a while.'

function isFault(error: unknown): error is Error & Fault {
  return error instanceof Error && 'type' in error && typeof error.type === 'string'
}
