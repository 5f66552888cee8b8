import { createServer, type Server, type Socket } from 'node:net'
import { pathIn, readLines, verbOf } from './lines.ts'
import { recordSession } from './record.ts'

/** A reply as text: the code, then the rest; lines are separated by `\n` and include their codes. */
export type ScriptedReply =
  | string
  | { reply: string; afterMs?: number; thenClose?: boolean }
  /** Disconnects without a reply. */
  | 'hang_up'

/** The state of a connection. `state` belongs to the script. */
export type Peer = {
  /** The client's IP address. */
  address: string
  sender: string
  /** Accepted recipients of this transaction. */
  recipients: string[]
  /** Rejected recipients of this connection. */
  refused: number
  /** All recipients of this connection. */
  asked: number
  state: Record<string, unknown>
}

/** The replies of a scripted server. A missing part has the reply of a plain, honest server. */
export type Script = {
  /** Used in banner and EHLO. */
  name?: string
  capabilities?: string[]
  /** Rejected recipients per connection that this server tolerates; the test run fails when a client exceeds it. */
  errorsMax?: number
  banner?(peer: Peer): ScriptedReply
  ehlo?(peer: Peer): ScriptedReply
  helo?(peer: Peer): ScriptedReply
  /** `parameters` follow the sender (RFC 5321 §4.1.1.2). */
  mail?(peer: Peer, sender: string, parameters: string): ScriptedReply
  rcpt?(peer: Peer, recipient: string): ScriptedReply
}

export type ScriptedServer = {
  host: string
  port: number
  /** Connections accepted so far. */
  connections(): number
  /** Recipients of all RCPT commands, in order. */
  recipients: string[]
  /** The commands that arrived together in one read. */
  groups: string[][]
  stop(): Promise<void>
}

/** A mail server with scripted replies, for behavior that no real server shows on demand. */
export async function startScripted(script: Script, { host, port }: { host: string; port: number }) {
  const sockets = new Set<Socket>()
  const recipients: string[] = []
  const groups: string[][] = []
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {}) // a client may disconnect at any time
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (chunk) => groups.push(chunk.toString('latin1').trim().split('\r\n').map(verbOf)))
    void serve(script, socket, recipients)
  })
  await listen(server, host, port)
  const address = server.address()
  const running: ScriptedServer = {
    host,
    port: typeof address === 'object' && address ? address.port : port,
    connections: () => connections,
    recipients,
    groups,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return running
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
}

async function serve(script: Script, socket: Socket, recipients: string[]): Promise<void> {
  const peer: Peer = {
    address: socket.remoteAddress ?? '',
    sender: '',
    recipients: [],
    refused: 0,
    asked: 0,
    state: {},
  }
  const verbs: string[] = []
  const { name = 'mx.example' } = script
  socket.once('close', () => {
    recordSession({ server: name, verbs, refused: peer.refused, errorsMax: script.errorsMax ?? null })
  })

  const lines = readLines(socket)
  let goesOn = await say(socket, script.banner?.(peer) ?? `220 ${name} ESMTP`)
  while (goesOn) {
    const line = await lines.next()
    if (line === undefined) break
    const verb = verbOf(line)
    verbs.push(verb)
    goesOn = await say(socket, answer(script, peer, verb, line, recipients))
  }
  socket.end()
}

function answer(script: Script, peer: Peer, verb: string, line: string, recipients: string[]): ScriptedReply {
  const { name = 'mx.example', capabilities = ['PIPELINING', '8BITMIME'] } = script
  switch (verb) {
    case 'EHLO':
      return script.ehlo?.(peer) ?? [name, ...capabilities].map(multiline).join('\n')
    case 'HELO':
      return script.helo?.(peer) ?? `250 ${name}`
    case 'MAIL': {
      peer.sender = pathIn(line)
      peer.recipients = []
      return script.mail?.(peer, peer.sender, line.slice(line.indexOf('>') + 1).trim()) ?? '250 2.1.0 Ok'
    }
    case 'RCPT': {
      const recipient = pathIn(line)
      recipients.push(recipient)
      peer.asked += 1
      const reply = script.rcpt?.(peer, recipient) ?? '250 2.1.5 Ok'
      if (textOf(reply).startsWith('2')) peer.recipients.push(recipient)
      else peer.refused += 1
      return reply
    }
    case 'RSET':
      peer.recipients = []
      return '250 2.0.0 Ok'
    case 'QUIT':
      return { reply: '221 2.0.0 Bye', thenClose: true }
    default:
      return '502 5.5.2 Error: command not recognized'
  }
}

function multiline(line: string, n: number, lines: string[]): string {
  return `250${n === lines.length - 1 ? ' ' : '-'}${line}`
}

function textOf(reply: ScriptedReply): string {
  return typeof reply === 'string' ? reply : reply.reply
}

/** False when the connection has ended. */
async function say(socket: Socket, scripted: ScriptedReply): Promise<boolean> {
  if (scripted === 'hang_up') return false
  const { reply, afterMs = 0, thenClose = false } = typeof scripted === 'string' ? { reply: scripted } : scripted
  if (afterMs > 0) await new Promise((resolve) => setTimeout(resolve, afterMs).unref())
  if (socket.destroyed) return false
  socket.write(`${reply.replaceAll('\n', '\r\n')}\r\n`)
  return !thenClose
}
