import { readLines, streamBody } from './body-stream.ts'
import type { CallOptions, Connection } from './connection.ts'
import { pause } from './deadline.ts'
import { ProbityConnectionError, ProbityError, ProbityProblem } from './errors.ts'
import type { BulkJob } from './generated/wire.ts'

/** How a list stands. `end` comes once, as the last. */
export type ListEvent = { event: 'progress' | 'end'; id: string; job: BulkJob }

export type EventOptions = CallOptions & {
  /** How long the stream may say nothing before it is taken for dead; 45,000 if left out. The service says something every 15 seconds. */
  silenceMs?: number | undefined
  /** How often in a row the stream may be lost before that is an error; 10 if left out. */
  reconnects?: number | undefined
}

const SILENCE_MS = 45_000
const RECONNECTS = 10
const RECONNECT_MS = 3_000
const RECONNECT_MAX_MS = 30_000

/** What is known between one stream and the next. */
type Place = { lastId: string | undefined; reconnectMs: number; losses: number }

/** The events of a list until it ends. Each holds the whole list, so a stream that is lost and opened again has lost nothing. */
export async function* followList(
  connection: Connection,
  id: string,
  options: EventOptions,
): AsyncGenerator<ListEvent, void, undefined> {
  const { reconnects = RECONNECTS, signal } = options
  const place: Place = { lastId: undefined, reconnectMs: RECONNECT_MS, losses: 0 }
  while (true) {
    let loss: unknown
    try {
      const stream = await openStream(connection, id, options, place)
      if (stream === undefined) return
      for await (const event of readEvents(stream, place)) {
        place.losses = 0
        yield event
        if (event.event === 'end') return
      }
      loss = new ProbityConnectionError('The stream of events was closed before the list had ended.')
    } catch (error) {
      if (signal?.aborted || !isWorthAnother(error, place)) throw error
      loss = error
    }
    if (++place.losses > reconnects) throw loss
    await pause(waitMs(place, loss), signal)
  }
}

/** Before the first event, the tries that every call has were enough. */
function isWorthAnother(error: unknown, { lastId }: Place): boolean {
  return lastId !== undefined && error instanceof ProbityError && error.retryable
}

function waitMs({ reconnectMs, losses }: Place, loss: unknown): number {
  const asked = loss instanceof ProbityProblem ? (loss.retryAfterS ?? 0) * 1_000 : 0
  const longest = Math.min(RECONNECT_MAX_MS, reconnectMs * 2 ** (losses - 1))
  // Not all who were cut off together come back together.
  return Math.max(Math.min(asked, RECONNECT_MAX_MS), longest * (0.5 + Math.random() / 2))
}

/** Undefined where the end has been seen and there is nothing more to come. */
async function openStream(
  { open }: Connection,
  id: string,
  { signal, timeoutMs, silenceMs = SILENCE_MS }: EventOptions,
  { lastId }: Place,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const headers = { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) }
  const path = ['bulk', 'jobs', id, 'events']
  const { data } = await open(
    { method: 'GET', path, headers, repeatable: true, signal, timeoutMs },
    async (response, deadline) => {
      if (response.status !== 204) return streamBody(response, deadline, silenceMs)
      deadline.release()
      return undefined
    },
  )
  return data
}

/** Server-sent events, as far as the service makes use of them: fields on lines, and an empty line behind each event. */
async function* readEvents(
  stream: ReadableStream<Uint8Array>,
  place: Place,
): AsyncGenerator<ListEvent, void, undefined> {
  let event = ''
  let data = ''
  for await (const line of readLines(stream)) {
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []
    if (field === 'event') event = value
    else if (field === 'data') data += value
    else if (field === 'id') place.lastId = value
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) place.reconnectMs = Math.min(Number(value), RECONNECT_MAX_MS)
    if (line !== '') continue
    // Others may be added, and hold something else.
    if (event === 'progress' || event === 'end') yield { event, id: place.lastId ?? '', job: readJob(data) }
    event = ''
    data = ''
  }
}

function readJob(data: string): BulkJob {
  try {
    return JSON.parse(data) as BulkJob
  } catch {
    throw new ProbityConnectionError('An event of the stream cannot be read.')
  }
}
