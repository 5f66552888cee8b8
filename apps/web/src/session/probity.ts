import { ConnectionError, Probity, ProbityApiError } from '@probity/sdk'
import { APP_HEADERS, RequestFailed, unreachable } from './ask.ts'

export type Mode = 'live' | 'test'

/** The account and the mode of a request. */
export type Scene = { accountId: string; mode: Mode }

/** The headers of every request for account data. */
export function sceneHeaders({ accountId, mode }: Scene): Record<string, string> {
  return { ...APP_HEADERS, 'probity-account': accountId, 'probity-mode': mode }
}

/**
 * The SDK, authenticated by the session of the user instead of a key. A page that shows failures itself passes 0 for `maxRetries`.
 */
export function probityFor(scene: Scene, maxRetries?: number): Probity {
  const ownHeaders = sceneHeaders(scene)
  const sessionFetch: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers)
    headers.delete('x-api-key')
    for (const [name, value] of Object.entries(ownHeaders)) headers.set(name, value)
    return fetch(pathForPages(String(input)), { ...init, headers })
  }
  // The key is never sent; the SDK requires one.
  return new Probity({ apiKey: 'session', baseUrl: window.location.origin, fetch: sessionFetch, maxRetries })
}

/** Both paths have the same routes: /api/v1 for API keys, /app/api for sessions. */
function pathForPages(url: string): string {
  return url.replace(`${window.location.origin}/api/v1/`, '/app/api/')
}

/** Converts any error to the one type that pages use. */
export function asRequestFailed(error: unknown): RequestFailed {
  if (error instanceof RequestFailed) return error
  if (error instanceof ProbityApiError) {
    const { status, code, detail, requestId, problem } = error
    return new RequestFailed({
      status,
      code,
      message: detail,
      ...(problem?.title && { title: problem.title }),
      ...(requestId && { requestId }),
      ...(problem?.errors && { fields: problem.errors }),
      ...(problem?.type && { explainedAt: problem.type }),
    })
  }
  if (error instanceof ConnectionError) {
    return unreachable()
  }
  return new RequestFailed({
    status: 0,
    code: 'page_error',
    message: error instanceof Error ? error.message : 'This page failed.',
  })
}
