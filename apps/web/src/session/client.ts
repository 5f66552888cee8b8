import { ConnectionError, Probity, ProbityApiError } from '@probity/sdk'

/** A failed request, with the problem that the service reported. */
export class RequestFailed extends Error {
  override name = 'RequestFailed'
  /** 0 if the service could not be reached. */
  readonly status: number
  readonly code: string
  /** The title of the problem, if the service sent one. */
  readonly title: string | undefined
  readonly requestId: string | undefined
  readonly fields: readonly FieldFault[]
  /** The URL of the documentation, if the service named one. */
  readonly explainedAt: string | undefined

  constructor(problem: {
    status: number
    code: string
    title?: string
    message: string
    requestId?: string
    fields?: FieldFault[]
    explainedAt?: string
  }) {
    super(problem.message)
    this.status = problem.status
    this.code = problem.code
    this.title = problem.title
    this.requestId = problem.requestId
    this.fields = problem.fields ?? []
    this.explainedAt = problem.explainedAt
  }
}

type FieldFault = { pointer: string; detail: string }

/** CSRF protection: forms and cross-site scripts cannot set this header. */
export const APP_HEADERS = { 'probity-app': '1' } as const

type RequestOptions = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  body?: object
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** Sends a request to /app/api with the session of the user. */
export async function callApi<T>(
  path: string,
  { method = 'GET', body, headers = {}, signal }: RequestOptions = {},
): Promise<T> {
  const init: RequestInit = {
    method,
    headers: {
      accept: 'application/json',
      ...APP_HEADERS,
      ...headers,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }
  const response = await fetch(`/app/api${path}`, init).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw unreachable()
  })
  if (!response.ok) throw await readFailure(response)
  if (response.status === 204) return undefined as T
  return (await response.json()) as T
}

export function unreachable(): RequestFailed {
  return new RequestFailed({ status: 0, code: 'unreachable', message: 'The service cannot be reached.' })
}

type ProblemBody = {
  type?: string
  code?: string
  detail?: string
  advice?: string
  title?: string
  message?: string
  errors?: FieldFault[]
}

/** Reads a problem of the service or an error of the auth library, which has its own format. */
export async function readFailure(response: Response): Promise<RequestFailed> {
  const problem = ((await response.json().catch(() => undefined)) ?? {}) as ProblemBody
  const requestId = response.headers.get('request-id')
  return new RequestFailed({
    status: response.status,
    code: (problem.code ?? 'unexpected').toLowerCase(),
    message: describeProblem(problem),
    ...(problem.title && { title: problem.title }),
    ...(requestId && { requestId }),
    ...(problem.errors && { fields: problem.errors }),
    ...(problem.type && { explainedAt: problem.type }),
  })
}

function describeProblem({ detail, advice, title, message }: ProblemBody): string {
  if (detail !== undefined && advice !== undefined) return `${detail} ${advice}`
  return detail ?? title ?? message ?? 'The service returned an unreadable response. A proxy may have sent it.'
}

/** Not crypto.randomUUID, which is unavailable on plain HTTP pages. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export type Mode = 'live' | 'test'

/** The account and the mode of a request. */
type Scene = { accountId: string; mode: Mode }

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
    const { status, code, requestId, problem } = error
    return new RequestFailed({
      status,
      code,
      message: describeProblem(problem ?? { detail: error.detail }),
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

/** Saves a file as a download of the browser. */
export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  // The browser has started the download by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
