/** What went wrong with a request, as the service told it. */
export class RequestFailed extends Error {
  override name = 'RequestFailed'
  /** 0 where the service could not be reached. */
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  readonly fields: readonly FieldFault[]
  /** The place in the docs, where the service named one. */
  readonly explainedAt: string | undefined

  constructor(told: {
    status: number
    code: string
    message: string
    requestId?: string
    fields?: FieldFault[]
    explainedAt?: string
  }) {
    super(told.message)
    this.status = told.status
    this.code = told.code
    this.requestId = told.requestId
    this.fields = told.fields ?? []
    this.explainedAt = told.explainedAt
  }
}

export type FieldFault = { pointer: string; detail: string }

/** By this header the service knows that a page of its own asks: no form and no foreign script can send it along. */
export const APP_HEADERS = { 'probity-app': '1' } as const

type Asked = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  body?: object
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** Asks the service under /app/api as the person who is signed in. */
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

/** Our problems and the auth library's errors, which has its own form for them. */
export async function readFailure(response: Response): Promise<RequestFailed> {
  const told = ((await response.json().catch(() => undefined)) ?? {}) as Told
  const requestId = response.headers.get('request-id')
  return new RequestFailed({
    status: response.status,
    code: (told.code ?? 'unexpected').toLowerCase(),
    message: told.detail ?? told.title ?? told.message ?? 'The service gave an answer that this page cannot read.',
    ...(requestId && { requestId }),
    ...(told.errors && { fields: told.errors }),
    ...(told.type && { explainedAt: told.type }),
  })
}
