import { type Answered, asCall, type Call } from './call.ts'
import { type Deadline, pause, startDeadline } from './deadline.ts'
import { ProbityError } from './errors.ts'
import { readProblem, unexpectedAnswer } from './read-problem.ts'
import { readResponse } from './response-info.ts'
import { waitBeforeNext } from './retry.ts'
import { readTimeout, type Settings } from './settings.ts'

/** What every method takes. */
export type CallOptions = {
  /** Ends the call; what is thrown is the signal's own reason. */
  signal?: AbortSignal | undefined
  /** For this call, instead of that of the client. */
  timeoutMs?: number | undefined
}

/** What methods take besides that send a POST, except `preview`. */
export type IdempotentCallOptions = CallOptions & {
  /** Makes the call have one effect however often it is sent. Made by the client if left out, one for each call. */
  idempotencyKey?: string | undefined
}

/** One request as a method wishes it. Queries and bodies are written as they go over the wire. */
export type Wish = CallOptions & {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below /api/v1, part by part; a part may be what the caller gave. */
  path: readonly string[]
  query?: Record<string, string | number | boolean | undefined>
  json?: unknown
  body?: FormData | ReadableStream<Uint8Array>
  headers?: Record<string, string>
  /** Whether sending it twice does no more than sending it once. A POST is made so by its idempotency key. */
  repeatable: boolean | { idempotencyKey: string | undefined }
}

/** Turns an answer of success into what the method gives. Whoever keeps the body open takes the deadline over. */
type Reader<T> = (response: Response, deadline: Deadline) => Promise<T>

/** The one way to the service: every method goes through here. */
export type Connection = {
  /** Asks, tries again where that is safe, and reads the JSON of the answer. */
  ask<T>(wish: Wish): Call<T>
  /** The same for answers that are no JSON. */
  open<T>(wish: Wish, read: Reader<T>): Promise<Answered<T>>
}

export function openConnection(settings: Settings): Connection {
  const open = <T>(wish: Wish, read: Reader<T>) => tryUntilAnswered(settings, wish, read)
  return { open, ask: <T>(wish: Wish) => asCall(open<T>(wish, readJson)) }
}

async function tryUntilAnswered<T>(settings: Settings, wish: Wish, read: Reader<T>): Promise<Answered<T>> {
  const { method, signal } = wish
  const request = writeRequest(settings, wish)
  const timeoutMs = readTimeout(wish.timeoutMs ?? settings.timeoutMs)
  const retries = wish.repeatable === false ? 0 : settings.retries
  for (let tries = 1; ; tries++) {
    const deadline = startDeadline(timeoutMs, signal)
    try {
      const response = await send(settings, request, deadline)
      return { data: await read(response, deadline), response: readResponse(response) }
    } catch (error) {
      deadline.release()
      const failure = deadline.explain(error)
      const waitMs = signal?.aborted ? undefined : waitBeforeNext(failure, { method, tries, retries })
      if (waitMs === undefined) throw failure
      await pause(waitMs, signal)
    }
  }
}

type Request = { url: string; init: RequestInit }

/** Written once: every try of a call sends the same, its idempotency key included. */
function writeRequest({ apiKey, apiUrl }: Settings, wish: Wish): Request {
  const body = wish.json === undefined ? wish.body : JSON.stringify(wish.json)
  const headers = {
    accept: 'application/json',
    ...(wish.json !== undefined && { 'content-type': 'application/json' }),
    ...(typeof wish.repeatable === 'object' && { 'idempotency-key': readIdempotencyKey(wish.repeatable) }),
    ...wish.headers,
    'x-api-key': apiKey,
  }
  // Platforms send the key along to wherever a redirect leads.
  const init: RequestInit & { duplex?: 'half' } = { method: wish.method, headers, redirect: 'manual' }
  if (body !== undefined) init.body = body
  // A body that is still being made while it is sent has to say so.
  if (body instanceof ReadableStream) init.duplex = 'half'
  return { url: `${apiUrl}/${wish.path.map(readPart).join('/')}${queryOf(wish)}`, init }
}

async function send({ fetch }: Settings, { url, init }: Request, { signal }: Deadline): Promise<Response> {
  const response = await fetch(url, { ...init, signal })
  if (response.ok) return response
  if (response.type !== 'opaqueredirect' && (response.status < 300 || response.status >= 400)) {
    throw await readProblem(response)
  }
  await response.body?.cancel()
  throw unexpectedAnswer(
    response,
    'A redirect is not followed, for the key would go with it: set baseUrl to where it leads.',
  )
}

async function readJson<T>(response: Response, deadline: Deadline): Promise<T> {
  const text = await response.text()
  deadline.release()
  if (response.status === 204) return undefined as T
  try {
    return JSON.parse(text) as T
  } catch {
    throw unexpectedAnswer(response, 'The answer is not JSON: is baseUrl the address of the service?')
  }
}

function queryOf({ query = {} }: Wish): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

function readIdempotencyKey({ idempotencyKey = randomKey() }: { idempotencyKey: string | undefined }): string {
  if (/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) return idempotencyKey
  throw new ProbityError('idempotencyKey must be 1 to 255 visible ASCII characters.')
}

/** Not crypto.randomUUID, which browsers have on secure pages only. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Dots would lead to another path, and nothing at all to that of the whole collection. */
function readPart(part: string): string {
  if (/^\.{0,2}$/.test(part)) throw new ProbityError('The id is empty or made of dots.')
  return encodeURIComponent(part)
}
