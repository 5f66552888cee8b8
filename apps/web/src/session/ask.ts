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

  constructor(told: {
    status: number
    code: string
    title?: string
    message: string
    requestId?: string
    fields?: FieldFault[]
    explainedAt?: string
  }) {
    super(told.message)
    this.status = told.status
    this.code = told.code
    this.title = told.title
    this.requestId = told.requestId
    this.fields = told.fields ?? []
    this.explainedAt = told.explainedAt
  }
}

export type FieldFault = { pointer: string; detail: string }

/** CSRF protection: forms and cross-site scripts cannot set this header. */
export const APP_HEADERS = { 'probity-app': '1' } as const

type Asked = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  body?: object
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** Sends a request to /app/api with the session of the user. */
export async function ask<T>(path: string, { method = 'GET', body, headers = {}, signal }: Asked = {}): Promise<T> {
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

type Told = { type?: string; code?: string; detail?: string; title?: string; message?: string; errors?: FieldFault[] }

/** Reads a problem of the service or an error of the auth library, which has its own format. */
export async function readFailure(response: Response): Promise<RequestFailed> {
  const told = ((await response.json().catch(() => undefined)) ?? {}) as Told
  const requestId = response.headers.get('request-id')
  return new RequestFailed({
    status: response.status,
    code: (told.code ?? 'unexpected').toLowerCase(),
    message:
      told.detail ??
      told.title ??
      told.message ??
      'The service returned an unreadable response. A proxy may have sent it.',
    ...(told.title && { title: told.title }),
    ...(requestId && { requestId }),
    ...(told.errors && { fields: told.errors }),
    ...(told.type && { explainedAt: told.type }),
  })
}
