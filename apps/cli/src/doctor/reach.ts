export type Reached =
  | { kind: 'reached'; ms: number; clockOffMs: number | undefined }
  | { kind: 'unreachable'; cause: string }

const TIMEOUT_MS = 10_000

/** Asks the service whether it lives, which needs no key, and what time it has. */
export async function reach(baseUrl: string, signal: AbortSignal): Promise<Reached> {
  const url = new URL('/livez', baseUrl)
  const began = performance.now()
  try {
    const options = { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]), redirect: 'manual' } as const
    const response = await fetch(url, options)
    const ms = Math.round(performance.now() - began)
    await response.body?.cancel()
    if (!response.ok) return { kind: 'unreachable', cause: `it answers with ${response.status}` }
    return { kind: 'reached', ms, clockOffMs: clockOff(response.headers.get('date'), ms) }
  } catch (error) {
    signal.throwIfAborted()
    return { kind: 'unreachable', cause: causeOf(error) }
  }
}

/** The header has whole seconds, so half of one either way is nothing. */
function clockOff(date: string | null, tookMs: number): number | undefined {
  const theirs = Date.parse(date ?? '')
  return Number.isNaN(theirs) ? undefined : Date.now() - tookMs / 2 - (theirs + 500)
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  if (error.name === 'TimeoutError') return `no answer in ${TIMEOUT_MS / 1_000} s`
  const { code, message } = (error.cause instanceof Error ? error.cause : error) as NodeJS.ErrnoException
  return code ?? message
}
