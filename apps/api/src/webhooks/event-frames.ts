import { Readable } from 'node:stream'
import { PADDING } from '../http/event-stream.ts'

const HEARTBEAT_EVERY_MS = 15_000
const RECONNECT_AFTER_MS = 3_000
/** Then the client reconnects, to any process. */
const LASTS_MS = 60 * 60 * 1000
/** A client that reads this slowly is disconnected: an event must not be left out unnoticed. */
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
