import type { Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { type Command, writeCommands } from './commands.ts'
import { createReplyReader, type Reply } from './reply-reader.ts'

/** A connection to a mail server: commands out, replies in, and one end. */
export type SmtpSocket = {
  send(commands: Command[], utf8Offered: boolean): void
  /** The next reply. `deadline` is on the clock of `performance.now()`. */
  read(deadline: number): Promise<Reply | Disconnect>
  /** Goes on in TLS. Whatever came in plain text after the server's consent was put there by somebody else: then it fails. */
  upgrade(serverName: string, deadline: number): Promise<Disconnect | undefined>
  /** Says QUIT and waits for the server to close, so that the port is not left waiting on our side; never past the deadline. */
  quit(deadline: number): Promise<void>
  isClosed(): boolean
  /** What is known of the certificate; null without TLS. Never changes a verdict: nothing secret is sent. */
  certificate(): 'trusted' | 'untrusted' | null
}

/** How long a server that takes nothing any more may hold up our last words. */
const LINGER_MS = 300

/** Takes over a connected socket, which must be paused so that nothing is lost. */
export function createSmtpSocket(first: Socket): SmtpSocket {
  let socket = first
  let inbox = createReplyBuffer()
  let certificate: 'trusted' | 'untrusted' | null = null

  function attach(to: Socket): void {
    const mine = inbox
    to.on('data', (bytes) => {
      if (!mine.push(bytes)) to.destroy()
    })
    for (const event of ['end', 'close', 'error']) to.on(event, () => mine.finish('closed'))
    to.resume()
  }

  /** The server can no longer be followed: what it said and nobody has read yet is not to be believed either. */
  function fail(why: 'garbled' | 'tls_failed'): Disconnect {
    inbox.discard()
    inbox.finish(why)
    socket.destroy()
    return { kind: 'disconnect', why }
  }

  async function upgrade(serverName: string, deadline: number): Promise<Disconnect | undefined> {
    if (inbox.hasUnread()) return fail('garbled')
    const plain = socket
    plain.removeAllListeners('data')
    const secure = connectTls({
      socket: plain,
      servername: serverName,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
    })
    if (!(await handshake(secure, deadline))) return fail('tls_failed')
    certificate = secure.authorized ? 'trusted' : 'untrusted'
    socket = secure
    inbox = createReplyBuffer()
    attach(secure)
    return undefined
  }

  attach(first)
  return {
    send(commands, utf8Offered) {
      if (inbox.hasUnsolicited()) fail('garbled')
      if (!inbox.ended() && socket.writable) writeCommands(socket, commands, utf8Offered)
    },
    read: (deadline) => inbox.read(deadline),
    upgrade,
    async quit(deadline) {
      inbox.discard()
      if (socket.writable && inbox.ended()?.why !== 'closed') writeCommands(socket, [{ verb: 'QUIT' }], false)
      // What it answers does not matter, nor whether it does; that it closes does.
      while (!inbox.ended()) await inbox.read(deadline)
      endSoon(socket)
    },
    isClosed: () => inbox.ended() !== undefined,
    certificate: () => certificate,
  }
}

/** Whether TLS stands before the time is up. */
function handshake(secure: TLSSocket, deadline: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (done: boolean) => {
      clearTimeout(timer)
      resolve(done)
    }
    const timer = setTimeout(() => end(false), Math.max(0, deadline - performance.now()))
    secure.once('secureConnect', () => end(true))
    for (const event of ['error', 'close']) secure.on(event, () => end(false))
  })
}

function endSoon(socket: Socket): void {
  socket.destroySoon()
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}

/**
 * Why there will be no further reply: time is up, the server left, it broke the protocol, it holds its answers back on purpose,
 * or TLS could not be had.
 */
export type Disconnect = { kind: 'disconnect'; why: 'timeout' | 'closed' | 'garbled' | 'tarpit' | 'tls_failed' }

/** Replies in the order they came, up to the one end there is. */
export type ReplyBuffer = {
  /** False when the bytes are no replies; then the end has come. */
  push(bytes: Uint8Array): boolean
  /** The next reply. `deadline` is on the clock of `performance.now()`; past it there is no further reply. */
  read(deadline: number): Promise<Reply | Disconnect>
  /** The first reason counts, in whatever order the events arrive. */
  finish(why: Disconnect['why']): void
  ended(): Disconnect | undefined
  /** Whether something has come that nobody has read. */
  hasUnread(): boolean
  /** Whether something has come that nobody can have asked for. */
  hasUnsolicited(): boolean
  /** Forgets what nobody has read: it is not to be believed. */
  discard(): void
}

export function createReplyBuffer(): ReplyBuffer {
  const reader = createReplyReader()
  let replies: Reply[] = []
  let over: Disconnect | undefined
  let waiting: ((next: Reply | Disconnect) => void) | undefined

  function finish(why: Disconnect['why']): void {
    over ??= { kind: 'disconnect', why }
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
    hasUnsolicited: () => replies.some(({ code }) => code !== 421),
    discard() {
      replies = []
    },
  }
}
