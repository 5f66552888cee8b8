import {
  type AttemptInfo,
  type AttemptResult,
  type ClientConfig,
  checkMaxRetries,
  checkTimeout,
  describeClient,
  isBrowser,
  VERSION,
} from '../client-options.ts'
import { type Deadline, delay, startDeadline, streamBody } from './deadline.ts'
import { ConnectionError, ProbityApiError, ProbityError } from './errors.ts'
import {
  type ApiPromise,
  type ApiResponse,
  createApiPromise,
  createUnexpectedResponseError,
  readApiError,
  readResponse,
} from './response.ts'

/** Options of every call. */
export type RequestOptions = {
  /** Aborts the call, which then rejects with the reason of the signal. */
  signal?: AbortSignal | undefined
  /** Maximum duration of one attempt in milliseconds. Default: that of the client. */
  timeoutMs?: number | undefined
  /** Maximum number of retries. Default: that of the client. */
  maxRetries?: number | undefined
  /** Headers that are added to those of the client. */
  headers?: Record<string, string> | undefined
}

/** Options of calls that send a POST request, except uploads. */
export type IdempotentRequestOptions = RequestOptions & {
  /** Key under which the call takes effect once, however often it is sent. Default: a random key per call, shared by its attempts. */
  idempotencyKey?: string | undefined
}

/** One request, as a method describes it. */
type RequestSpec = IdempotentRequestOptions & {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Segments below /api/v1. They are encoded, so ids can be passed as they are. */
  path: readonly string[]
  query?: Record<string, string>
  json?: unknown
  body?: FormData | ReadableStream<Uint8Array>
  /** Headers that options cannot override. */
  fixedHeaders?: Record<string, string>
  /** The request cannot be repeated: no retry and no idempotency key. */
  sendOnce?: boolean
  /** A 404 counts as success if the response to an earlier attempt was lost: that attempt deleted the object. */
  ignoreNotFoundOnRetry?: boolean
}

/** Reads a successful response. A reader that keeps the body open takes over the deadline. */
type ReadBody<T> = (response: Response, deadline: Deadline) => Promise<T>

/** Sends all requests of a client. */
export type Transport = {
  /** Sends a request, retries it where that is safe, and parses the JSON response. */
  request<T>(spec: RequestSpec): ApiPromise<T>
  /** The same for a response of any type. */
  open<T>(spec: RequestSpec, read: ReadBody<T>): Promise<ApiResponse<T>>
  /** The same for a file, which fails if no data arrives for `idleTimeoutMs`. */
  download(spec: RequestSpec, idleTimeoutMs?: number): ApiPromise<ReadableStream<Uint8Array>>
}

const IDLE_TIMEOUT_MS = 60_000

export function createTransport(config: ClientConfig): Transport {
  const open = <T>(spec: RequestSpec, read: ReadBody<T>) => sendWithRetries(config, spec, read)
  return {
    open,
    request: <T>(spec: RequestSpec) => createApiPromise(open<T>(spec, readJson)),
    download(spec, idleTimeoutMs = IDLE_TIMEOUT_MS) {
      const file = { ...spec, fixedHeaders: { accept: '*/*' } }
      return createApiPromise(open(file, async (response, deadline) => streamBody(response, deadline, idleTimeoutMs)))
    },
  }
}

/** Deletes an object. A 404 after a lost response counts as success. */
export function deleteObject(
  { request }: Transport,
  path: readonly string[],
  options: RequestOptions = {},
): ApiPromise<void> {
  return request({ ...options, method: 'DELETE', path, ignoreNotFoundOnRetry: true })
}

async function sendWithRetries<T>(config: ClientConfig, spec: RequestSpec, read: ReadBody<T>): Promise<ApiResponse<T>> {
  const { method, signal } = spec
  const request = createRequest(config, spec)
  const timeoutMs = checkTimeout(spec.timeoutMs ?? config.timeoutMs)
  const maxRetries = spec.sendOnce ? 0 : checkMaxRetries(spec.maxRetries ?? config.maxRetries)
  let isLost = false
  for (let attempt = 1; ; attempt++) {
    const { result, deadline } = await sendAttempt(config, request, { attempt, timeoutMs, signal })
    try {
      if (result.kind === 'failed') throw result.error
      const { response } = result
      if (isLost && spec.ignoreNotFoundOnRetry && response.status === 404)
        return await acceptNotFound(response, deadline)
      await rejectFailure(response)
      return { data: await read(response, deadline), response: readResponse(response) }
    } catch (error) {
      deadline.release()
      const failure = deadline.toError(error)
      const delayMs = signal?.aborted ? undefined : findRetryDelayMs(failure, { method, attempt, maxRetries })
      if (delayMs === undefined) throw failure
      isLost ||= isResponseLost(failure)
      await delay(delayMs, signal)
    }
  }
}

type SentRequest = { url: string; init: RequestInit & { headers: Headers } }
type FetchResult = { kind: 'responded'; response: Response } | { kind: 'failed'; error: unknown }
type AttemptOptions = { attempt: number; timeoutMs: number; signal: AbortSignal | undefined }

/** Sends the request once. Only an error of a hook is thrown, which ends the call without a retry. */
async function sendAttempt(config: ClientConfig, { url, init }: SentRequest, options: AttemptOptions) {
  const { attempt, timeoutMs, signal } = options
  const info = describeAttempt(url, init, attempt)
  config.onRequest?.(info)
  const deadline = startDeadline(timeoutMs, signal)
  const startedAt = performance.now()
  const result = await callFetch(config, url, { ...init, signal: deadline.signal })
  try {
    config.onResponse?.({ ...info, durationMs: performance.now() - startedAt, ...describeResult(result, deadline) })
  } catch (error) {
    deadline.release()
    throw error
  }
  return { result, deadline }
}

async function callFetch({ fetch }: ClientConfig, url: string, init: RequestInit): Promise<FetchResult> {
  try {
    return { kind: 'responded', response: await fetch(url, init) }
  } catch (error) {
    return { kind: 'failed', error }
  }
}

function describeAttempt(url: string, init: SentRequest['init'], attempt: number): AttemptInfo {
  const headers = new Headers(init.headers)
  headers.delete('x-api-key')
  return { method: init.method ?? 'GET', url, headers, attempt }
}

function describeResult(
  result: FetchResult,
  deadline: Deadline,
): Omit<AttemptResult, keyof AttemptInfo | 'durationMs'> {
  if (result.kind === 'failed') {
    const error = deadline.toError(result.error)
    return { status: undefined, responseHeaders: undefined, requestId: undefined, error }
  }
  const { status, headers } = result.response
  return { status, responseHeaders: headers, requestId: headers.get('request-id') ?? undefined, error: undefined }
}

/** Created once per call: every attempt sends the same request with the same idempotency key. */
function createRequest(config: ClientConfig, spec: RequestSpec): SentRequest {
  const body = spec.json === undefined ? spec.body : JSON.stringify(spec.json)
  const headers = createHeaders(config, spec)
  // Platforms would send the API key to the target of a redirect.
  const init: SentRequest['init'] & { duplex?: 'half' } = { method: spec.method, headers, redirect: 'manual' }
  if (body !== undefined) init.body = body
  // Required for a body that is produced while it is sent.
  if (body instanceof ReadableStream) init.duplex = 'half'
  const query = new URLSearchParams(spec.query).toString()
  return { url: `${config.apiUrl}/${spec.path.map(encodeSegment).join('/')}${query && `?${query}`}`, init }
}

function createHeaders(config: ClientConfig, spec: RequestSpec): Headers {
  const isIdempotent = spec.method === 'POST' && !spec.sendOnce
  const fixed = {
    accept: 'application/json',
    ...(spec.json !== undefined && { 'content-type': 'application/json' }),
    ...(isIdempotent && { 'idempotency-key': readIdempotencyKey(spec.idempotencyKey) }),
    ...spec.fixedHeaders,
    'x-probity-client': describeClient(),
    'x-api-key': config.apiKey,
  }
  // Browsers send their own User-Agent; another one would need the permission of the service (CORS).
  const userAgent = isBrowser() ? {} : { 'user-agent': `probity-js/${VERSION}` }
  const headers = new Headers()
  for (const source of [userAgent, config.headers, spec.headers ?? {}, fixed]) {
    for (const [name, value] of Object.entries(source)) headers.set(name, value)
  }
  return headers
}

async function acceptNotFound<T>(response: Response, deadline: Deadline): Promise<ApiResponse<T>> {
  await response.body?.cancel()
  deadline.release()
  return { data: undefined as T, response: readResponse(response) }
}

async function rejectFailure(response: Response): Promise<void> {
  if (response.ok) return
  if (response.type !== 'opaqueredirect' && (response.status < 300 || response.status >= 400)) {
    throw await readApiError(response)
  }
  await response.body?.cancel()
  throw createUnexpectedResponseError(
    response,
    'Redirects are not followed, because they would receive the API key. Set baseUrl to the target of the redirect.',
  )
}

async function readJson<T>(response: Response, deadline: Deadline): Promise<T> {
  const text = await response.text()
  deadline.release()
  if (response.status === 204) return undefined as T
  try {
    return JSON.parse(text) as T
  } catch {
    throw createUnexpectedResponseError(
      response,
      'The response is not JSON. Check that baseUrl is the URL of the service.',
    )
  }
}

function readIdempotencyKey(idempotencyKey = createRandomKey()): string {
  if (/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) return idempotencyKey
  throw new ProbityError('idempotencyKey must be 1 to 255 visible ASCII characters.')
}

/** Browsers provide crypto.randomUUID in secure contexts only. */
function createRandomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** An empty segment or one of dots would address another resource. */
function encodeSegment(segment: string): string {
  if (/^\.{0,2}$/.test(segment)) throw new ProbityError('The id is empty or consists of dots.')
  return encodeURIComponent(segment)
}

const FIRST_BACKOFF_MS = 500
const BACKOFF_MAX_MS = 8_000
/** A longer Retry-After is returned to the caller as an error instead of being waited for. */
const RETRY_AFTER_MAX_MS = 30_000

/** Statuses that say nothing about the request itself: rate limit, overload, restart or an unreachable upstream. */
const TRANSIENT_STATUSES = new Set([429, 502, 503, 504])

type Attempt = { method: string; attempt: number; maxRetries: number }

/** Delay before the next attempt; undefined if the call must not be retried. */
function findRetryDelayMs(failure: unknown, { method, attempt, maxRetries }: Attempt): number | undefined {
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
function isResponseLost(failure: unknown): boolean {
  return failure instanceof ConnectionError || (failure instanceof ProbityApiError && failure.status >= 500)
}
