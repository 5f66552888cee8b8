import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventName } from '@probity/contract/constants/webhooks'
import type { Db } from '@probity/database/connection/connect'
import type { View } from '@probity/database/connection/scope'
import { claimStreamEvents, insertEventStream, removeEventStream } from '@probity/database/webhooks/event-streams'
import type { FastifyBaseLogger } from 'fastify'
import { PADDING } from '../http/event-stream.ts'

/** Receives the events of one stream. `end` is called when no further event will come. */
export type FeedListener = {
  send(event: { id: string; body: string }): void
  /** Whether the client may still read the stream; called before events are sent, about once per second. */
  isAllowed(): Promise<boolean>
  end(): void
}

export type EventFeed = {
  /** Emits events to the listener from now on; false if the account is at its limit of streams. */
  open(view: View, id: string, listener: FeedListener): Promise<boolean>
  close(id: string): Promise<void>
}

const POLL_EVERY_MS = 1_000
/** The next query follows at once and reads the rest. */
const EVENTS_AT_ONCE_MAX = 500

/**
 * The events for the open streams of this process. One query per second reads those of all streams; without a stream there is none.
 * Polling instead of LISTEN, because the API's connections may go through a transaction-mode pooler.
 */
export function openEventFeed(db: Db, log: FastifyBaseLogger): EventFeed {
  const streams = new Map<string, { view: View; listener: FeedListener }>()
  let isPolling = false

  async function poll(): Promise<void> {
    isPolling = true
    while (streams.size > 0) {
      let isFull = false
      try {
        isFull = (await deliver()) === EVENTS_AT_ONCE_MAX
      } catch (error) {
        log.warn({ err: error }, 'failed to read events of streams')
      }
      if (!isFull) await sleep(POLL_EVERY_MS, undefined, { ref: false })
    }
    isPolling = false
  }

  async function deliver(): Promise<number> {
    // Before the query, which deletes the rows that it returns: an event must not be fetched for a stream that is then ended.
    for (const { listener } of [...streams.values()]) if (!(await listener.isAllowed())) listener.end()
    const ids = [...streams.keys()]
    if (ids.length === 0) return 0
    const { events, lost } = await claimStreamEvents(db, ids, EVENTS_AT_ONCE_MAX)
    for (const { streamId, eventId, body } of events) {
      streams.get(streamId)?.listener.send({ id: eventName(eventId), body })
    }
    for (const id of lost) streams.get(id)?.listener.end()
    return events.length
  }

  return {
    async open(view, id, listener) {
      if (!(await insertEventStream(db, view, id))) return false
      streams.set(id, { view, listener })
      if (!isPolling) void poll()
      return true
    },
    async close(id) {
      const stream = streams.get(id)
      streams.delete(id)
      if (stream === undefined) return
      // If this fails, the row counts for 45 more seconds.
      await removeEventStream(db, stream.view, id).catch((error: unknown) =>
        log.warn({ err: error }, 'failed to close an event stream'),
      )
    },
  }
}

const HEARTBEAT_EVERY_MS = 15_000
const RECONNECT_AFTER_MS = 3_000
/** Maximum duration of a stream. The client then reconnects, to any process. */
const LASTS_MS = 60 * 60 * 1000
/** A client that reads this slowly is disconnected: it must not miss an event unnoticed. */
const UNREAD_BYTES_MAX = 1024 * 1024

/** Events as server-sent events. They have no `event:` line, so that one `message` listener receives every type. */
export type EventFrames = { stream: Readable; send(event: { id: string; body: string }): void; close(): void }

export function openEventFrames(): EventFrames {
  const stream = new Readable({ read() {} })
  let isClosed = false
  const heartbeat = setInterval(() => push(': heartbeat\n\n'), HEARTBEAT_EVERY_MS)
  const end = setTimeout(close, LASTS_MS)
  for (const timer of [heartbeat, end]) timer.unref()
  stream.once('close', () => {
    clearInterval(heartbeat)
    clearTimeout(end)
  })

  function push(text: string): void {
    if (isClosed || stream.destroyed) return
    if (stream.readableLength > UNREAD_BYTES_MAX) close()
    else stream.push(text)
  }

  function close(): void {
    if (!isClosed && !stream.destroyed) stream.push(null)
    isClosed = true
  }

  push(`retry: ${RECONNECT_AFTER_MS}\n\n${PADDING}`)
  return {
    stream,
    send: ({ id, body }) => push(`id: ${id}\ndata: ${body.replaceAll('\n', '\ndata: ')}\n\n`),
    close,
  }
}
