import { ProbityProblem } from './errors.ts'
import type { Problem } from './generated/wire.ts'
import { readRetryAfter } from './retry.ts'

/** Later, the same request may well be answered otherwise. */
const RETRYABLE = new Set([408, 429, 500, 502, 503, 504])

/** Why a request failed. Reads the answer to its end. */
export async function readProblem(response: Response): Promise<ProbityProblem> {
  const { status, headers } = response
  const problem = asProblem(await response.text())
  const code = problem?.code ?? 'unexpected_answer'
  return new ProbityProblem({
    code,
    status,
    detail: problem?.detail ?? 'Something between here and the service answered in its place.',
    requestId: problem?.request_id ?? headers.get('request-id') ?? undefined,
    problem,
    retryable: RETRYABLE.has(status) || code === 'idempotency_in_progress',
    retryAfterS: readRetryAfter(headers) ?? problem?.retry_after_s,
  })
}

/** An answer of success that is not what was asked for. */
export function unexpectedAnswer({ status, headers }: Response, detail: string): ProbityProblem {
  return new ProbityProblem({
    code: 'unexpected_answer',
    status,
    detail,
    requestId: headers.get('request-id') ?? undefined,
    problem: undefined,
    retryable: false,
    retryAfterS: undefined,
  })
}

function asProblem(text: string): Problem | undefined {
  try {
    const body: unknown = JSON.parse(text)
    return isProblem(body) ? body : undefined
  } catch {
    return undefined // a proxy's page, or nothing at all
  }
}

function isProblem(body: unknown): body is Problem {
  if (typeof body !== 'object' || body === null) return false
  const { code, title, detail } = body as Record<string, unknown>
  return typeof code === 'string' && typeof title === 'string' && typeof detail === 'string'
}
