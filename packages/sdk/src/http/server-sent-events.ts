import { delay, readTextLines, streamBody } from './deadline.ts'
import { ConnectionError, ProbityApiError, ProbityError } from './errors.ts'
import type { RequestOptions, Transport } from './transport.ts'

export type StreamOptions = RequestOptions & {
  /** Time without any data after which the stream counts as lost, in milliseconds. Default: 45,000. The service sends a heartbeat every 15 seconds. */
  idleTimeoutMs?: number | undefined
  /** Number of consecutive failed reconnects after which the iteration throws. Default: 10. */
  maxReconnects?: number | undefined
}

/** One server-sent event. */
type ServerSentEvent = { event: string; id: string; data: string }

const IDLE_TIMEOUT_MS = 45_000
const MAX_RECONNECTS = 10
const RECONNECT_MS = 3_000
const RECONNECT_MAX_MS = 30_000
/** A stream that was open for this long counts as a successful reconnect even without an event. */
const STABLE_MS = 60_000

/** State that is carried from one connection to the next. */
type StreamState = { hasOpened: boolean; lastId: string | undefined; reconnectMs: number; losses: number }

/** Events of a stream, over lost connections, until the service has no more (204) or the consumer stops. */
export async function* followStream(
  transport: Transport,
  path: readonly string[],
  options: StreamOptions,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const { maxReconnects = MAX_RECONNECTS, signal } = options
  const state: StreamState = { hasOpened: false, lastId: undefined, reconnectMs: RECONNECT_MS, losses: 0 }
  while (true) {
    let loss: unknown
    const openedAt = performance.now()
    try {
      const stream = await openStream(transport, path, options, state)
      if (stream === undefined) return
      for await (const event of readEvents(stream, state)) {
        state.losses = 0
        yield event
      }
      loss = new ConnectionError('The event stream was closed by the service.')
    } catch (error) {
      if (signal?.aborted || !canReconnect(error, state)) throw error
      loss = error
    }
    if (performance.now() - openedAt > STABLE_MS) state.losses = 0
    if (++state.losses > maxReconnects) throw loss
    await delay(reconnectDelayMs(state, loss), signal)
  }
}

/** Before the stream was open once, the retries of the call were sufficient. */
function canReconnect(error: unknown, { hasOpened }: StreamState): boolean {
  return hasOpened && error instanceof ProbityError && error.retryable
}

function reconnectDelayMs({ reconnectMs, losses }: StreamState, loss: unknown): number {
  const retryAfterMs = loss instanceof ProbityApiError ? (loss.retryAfterSeconds ?? 0) * 1_000 : 0
  const longest = Math.min(RECONNECT_MAX_MS, reconnectMs * 2 ** (losses - 1))
  // Jitter spreads clients that were disconnected together.
  return Math.max(Math.min(retryAfterMs, RECONNECT_MAX_MS), longest * (0.5 + Math.random() / 2))
}

/** Undefined if the service has no more events (204). */
async function openStream(
  { open }: Transport,
  path: readonly string[],
  { idleTimeoutMs = IDLE_TIMEOUT_MS, maxReconnects: _, ...call }: StreamOptions,
  state: StreamState,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const { lastId } = state
  const fixedHeaders = { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) }
  const { data } = await open({ ...call, method: 'GET', path, fixedHeaders }, async (response, deadline) => {
    if (response.status !== 204) return streamBody(response, deadline, idleTimeoutMs)
    deadline.release()
    return undefined
  })
  state.hasOpened = true
  return data
}

/** The parts of the event stream format that the service uses: fields on lines, and an empty line after each event. */
async function* readEvents(
  stream: ReadableStream<Uint8Array>,
  state: StreamState,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  let event = ''
  let data = ''
  for await (const line of readTextLines(stream)) {
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []
    if (field === 'event') event = value
    else if (field === 'data') data += value
    else if (field === 'id') state.lastId = value
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) state.reconnectMs = Math.min(Number(value), RECONNECT_MAX_MS)
    if (line !== '') continue
    if (data !== '') yield { event, id: state.lastId ?? '', data }
    event = ''
    data = ''
  }
}

export function parseEventData<T>(data: string): T {
  try {
    return JSON.parse(data) as T
  } catch {
    throw new ConnectionError('An event of the stream is not JSON.')
  }
}
