import type { Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { type Command, writeCommands } from './command.ts'
import { type Break, openInbox } from './inbox.ts'
import type { Reply } from './reply.ts'

/** A connection to a mail server: commands out, replies in, and one end. */
export type Wire = {
  say(commands: Command[], utf8Offered: boolean): void
  /** The next reply. `deadline` is on the clock of `performance.now()`. */
  read(deadline: number): Promise<Reply | Break>
  /** Goes on in TLS. Whatever came in plain text after the server's consent was put there by somebody else: then it fails. */
  upgrade(serverName: string, deadline: number): Promise<Break | undefined>
  /** Says QUIT and waits for the server to close, so that the port is not left waiting on our side; never past the deadline. */
  quit(deadline: number): Promise<void>
  isOver(): boolean
  /** What is known of the certificate; null without TLS. Never changes a verdict: nothing secret is sent. */
  certificate(): 'trusted' | 'untrusted' | null
}

/** How long a server that takes nothing any more may hold up our last words. */
const LINGER_MS = 300

/** Takes over a connected socket, which must be paused so that nothing is lost. */
export function openWire(first: Socket): Wire {
  let socket = first
  let inbox = openInbox()
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
  function fail(why: 'garbled' | 'tls_failed'): Break {
    inbox.discard()
    inbox.finish(why)
    socket.destroy()
    return { kind: 'break', why }
  }

  async function upgrade(serverName: string, deadline: number): Promise<Break | undefined> {
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
    inbox = openInbox()
    attach(secure)
    return undefined
  }

  attach(first)
  return {
    say(commands, utf8Offered) {
      if (inbox.hasUnasked()) fail('garbled')
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
    isOver: () => inbox.ended() !== undefined,
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
