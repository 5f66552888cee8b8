import type { Reply } from './reply.ts'
import { openReplyReader } from './reply-reader.ts'

/**
 * Why there will be no further reply: time is up, the server left, it broke the protocol, it holds its answers back on purpose,
 * or TLS could not be had.
 */
export type Break = { kind: 'break'; why: 'timeout' | 'closed' | 'garbled' | 'tarpit' | 'tls_failed' }

/** Replies in the order they came, up to the one end there is. */
export type Inbox = {
  /** False when the bytes are no replies; then the end has come. */
  push(bytes: Uint8Array): boolean
  /** The next reply. `deadline` is on the clock of `performance.now()`; past it there is no further reply. */
  read(deadline: number): Promise<Reply | Break>
  /** The first reason counts, in whatever order the events arrive. */
  finish(why: Break['why']): void
  ended(): Break | undefined
  /** Whether something has come that nobody has read. */
  hasUnread(): boolean
  /** Whether something has come that nobody can have asked for. */
  hasUnasked(): boolean
  /** Forgets what nobody has read: it is not to be believed. */
  discard(): void
}

export function openInbox(): Inbox {
  const reader = openReplyReader()
  let replies: Reply[] = []
  let over: Break | undefined
  let waiting: ((next: Reply | Break) => void) | undefined

  function finish(why: Break['why']): void {
    over ??= { kind: 'break', why }
    waiting?.(over)
  }

  return {
    push(bytes) {
      if (over) return true
      const { replies: heard, fault } = reader.push(bytes)
      for (const reply of heard) {
        if (waiting) waiting(reply)
        else replies.push(reply)
      }
      if (fault === null) return true
      replies = []
      finish('garbled')
      return false
    },
    read(deadline) {
      const next = replies.shift() ?? over
      if (next) return Promise.resolve(next)
      return new Promise((resolve) => {
        const timer = setTimeout(() => finish('timeout'), Math.max(0, deadline - performance.now()))
        waiting = (found) => {
          waiting = undefined
          clearTimeout(timer)
          resolve(found)
        }
      })
    },
    finish,
    ended: () => over,
    hasUnread: () => replies.length > 0 || reader.pending() > 0,
    // Only a server that takes its leave (RFC 5321 §3.8) may speak up by itself.
    hasUnasked: () => replies.some(({ code }) => code !== 421),
    discard() {
      replies = []
    },
  }
}
