import { Readable } from 'node:stream'
import type { Job } from '@probity/contract/schemas/jobs/jobs'
import { networkOf } from './networks.ts'
import { Problem } from './problem.ts'

/** Id of the last event. A browser that reconnects with this id receives 204 and stops. */
export const END_ID = 'end'

export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no', // nginx would otherwise buffer the events
}

const BEAT_EVERY_MS = 15_000
const RECONNECT_AFTER_MS = 3_000
/** Streams end after this time. Clients reconnect automatically, possibly to another process. */
const LASTS_MS = 60 * 60 * 1000
/** Limit for a client that does not read. Each event is complete, so the next one makes up for a skipped one. */
const UNREAD_BYTES_MAX = 64 * 1024
/** Some proxies wait until a buffer is full: the padding after the first event fills it. */
export const PADDING = `:${' '.repeat(8 * 1024)}\n\n`

/** The progress of a job as server-sent events. */
export type EventStream = {
  stream: Readable
  /** Sends the job if it differs from the last event; ends the stream when the job has ended. */
  show(job: Job): void
  close(): void
}

export function openEventStream(first: Job): EventStream {
  const stream = new Readable({ read() {} })
  let shown = ''
  const beat = setInterval(() => push(': heartbeat\n\n'), BEAT_EVERY_MS)
  const end = setTimeout(close, LASTS_MS)
  for (const timer of [beat, end]) timer.unref()
  stream.once('close', () => {
    clearInterval(beat)
    clearTimeout(end)
  })

  function push(text: string): boolean {
    if (stream.destroyed || stream.readableEnded || stream.readableLength > UNREAD_BYTES_MAX) return false
    stream.push(text)
    return true
  }

  function show(job: Job): void {
    const now = substance(job)
    if (now !== shown && push(eventOf('progress', `${job.status}/${job.done_count}`, job))) shown = now
    if (job.finished_at === null || shown !== now) return
    push(eventOf('end', END_ID, job))
    close()
  }

  function close(): void {
    if (!isClosed) stream.push(null)
    isClosed = true
  }
  let isClosed = false

  push(`retry: ${RECONNECT_AFTER_MS}\n\n`)
  show(first)
  if (!isClosed) push(PADDING)
  return { stream, show, close }
}

/** The estimate changes with the clock, so it alone causes no event. */
function substance({ eta: _, ...job }: Job): string {
  return JSON.stringify(job)
}

function eventOf(event: string, id: string, job: Job): string {
  return `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(job)}\n\n`
}

export type StreamSlots = {
  /**
   * Reserves a slot for a stream of this account to a client's IP address, or throws. Returns a function that releases it and may be called
   * more than once.
   */
  take(accountId: string, ip: string): () => void
}

type Bounds = { perProcess: number; perAccount: number; perNetwork: number }

/** A stream costs little but lasts long: without limits a few clients could occupy all slots. */
export const STREAM_BOUNDS: Bounds = { perProcess: 200, perAccount: 10, perNetwork: 50 }

const RETRY_AFTER_S = 15

/** Each account may have one stream while a slot is free. Further ones of the same account are admitted only in the first half of the slots. */
export function openStreamSlots({ perProcess, perAccount, perNetwork }: Bounds): StreamSlots {
  const byAccount = new Map<string, number>()
  const byNetwork = new Map<string, number>()
  const sharedMax = Math.floor(perProcess / 2)
  let total = 0

  return {
    take(accountId, ip) {
      const network = networkOf(ip)
      const own = byAccount.get(accountId) ?? 0
      if (own >= perAccount) throw new Problem('too_many_streams', undefined, { retryAfterS: RETRY_AFTER_S })
      if ((byNetwork.get(network) ?? 0) >= perNetwork) {
        const detail = `The network of this client has ${perNetwork} event streams.`
        throw new Problem('too_many_streams', detail, { retryAfterS: RETRY_AFTER_S })
      }
      if (total >= (own === 0 ? perProcess : sharedMax)) {
        throw new Problem('overloaded', undefined, { retryAfterS: RETRY_AFTER_S })
      }
      const change = (by: 1 | -1) => {
        total += by
        add(byAccount, accountId, by)
        add(byNetwork, network, by)
      }
      change(1)
      let isTaken = true
      return () => {
        if (isTaken) change(-1)
        isTaken = false
      }
    },
  }
}

function add(counts: Map<string, number>, name: string, by: 1 | -1): void {
  const now = (counts.get(name) ?? 0) + by
  if (now === 0) counts.delete(name)
  else counts.set(name, now)
}
