import type { Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { type Command, writeCommands } from './commands.ts'
import { createReplyReader, type Reply } from './reply-reader.ts'

/** A connection to a mail server: sends commands, reads replies, and ends once. */
export type SmtpSocket = {
  send(commands: Command[], utf8Offered: boolean): void
  /** The next reply. `deadline` is on the clock of `performance.now()`. */
  read(deadline: number): Promise<Reply | Disconnect>
  /** Starts TLS. Fails if unread plain text followed the server's consent, because an attacker may have injected it. */
  upgrade(serverName: string, deadline: number): Promise<Disconnect | undefined>
  /** Sends QUIT and waits until the server closes, so that the port is not in TIME_WAIT on our side; never past the deadline. */
  quit(deadline: number): Promise<void>
  isClosed(): boolean
  /** The state of the certificate; null without TLS. It never changes a verdict, because nothing secret is sent. */
  certificate(): 'trusted' | 'untrusted' | null
}

/** How long a server that no longer reads may delay the close. */
const LINGER_MS = 300

/** Uses a connected socket, which must be paused so that no data are lost. */
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

  /** The session is unusable, and its unread replies are not trusted either. */
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
      // The reply to QUIT does not matter. Only the close of the connection does.
      while (!inbox.ended()) await inbox.read(deadline)
      endSoon(socket)
    },
    isClosed: () => inbox.ended() !== undefined,
    certificate: () => certificate,
  }
}

/** Whether the TLS handshake succeeds before the deadline. */
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
 * Why there will be no further reply: timeout, the server closed the connection, it violated the protocol, it delays its replies on
 * purpose, or TLS failed.
 */
export type Disconnect = { kind: 'disconnect'; why: 'timeout' | 'closed' | 'garbled' | 'tarpit' | 'tls_failed' }

/** The replies in their order, then one disconnect reason. */
export type ReplyBuffer = {
  /** False if the bytes are not replies; then the session has ended. */
  push(bytes: Uint8Array): boolean
  /** The next reply. `deadline` is on the clock of `performance.now()`; past it there is no further reply. */
  read(deadline: number): Promise<Reply | Disconnect>
  /** The first reason counts, in whatever order the events arrive. */
  finish(why: Disconnect['why']): void
  ended(): Disconnect | undefined
  /** Whether unread data have arrived. */
  hasUnread(): boolean
  /** Whether a reply arrived without a command. */
  hasUnsolicited(): boolean
  /** Discards unread replies, because they are not trusted. */
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
      const { replies: received, fault } = reader.push(bytes)
      for (const reply of received) {
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
    // Only 421 (RFC 5321 §3.8) may be sent without a command.
    hasUnsolicited: () => replies.some(({ code }) => code !== 421),
    discard() {
      replies = []
    },
  }
}
