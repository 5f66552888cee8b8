import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** The output of a server, as received by a tolerant client. */
export type Talk = {
  /** As Latin-1, so that no byte is lost; only the beginning of a flood. */
  text: string
  bytes: number
  /** The number of reads. */
  pieces: number
  /** The codes of all complete replies. */
  codes: string
  /** The state at the end: `open` means that the client timed out. */
  end: 'open' | 'closed' | 'reset' | 'refused' | 'no_tls'
}

type Where = { host: string; port: number; localAddress?: string }

const TEXT_LENGTH_MAX = 100_000
/** Enough to detect an endless flood. */
const BYTES_MAX = 16_000_000
/** The last line of a reply, with any line end. */
const LAST_LINE = /^\d{3}(?:[^-\r\n][^\n]*)?\r?\n/gm
const REFUSAL_AT_END = /\n[45]\d\d [^\n]*\n$/
const ENDS: Record<string, Talk['end']> = { ECONNRESET: 'reset', EPIPE: 'reset', ECONNREFUSED: 'refused' }

/**
 * Sends the commands one by one, each after the reply to the one before, and stops after `waitMs` without a reply. A
 * command with several lines is sent in one write. After `<tls>` it continues over TLS without checking the
 * certificate; when the server rejected STARTTLS it sends no more, since a handshake would be random commands to it.
 */
export async function talk(where: Where, commands: string[], waitMs: number): Promise<Talk> {
  const talked: Talk = { text: '', bytes: 0, pieces: 0, codes: '', end: 'open' }
  let socket = listen(talked, connectTcp(where))
  let isAnswered = await until(() => countReplies(talked) > 0, { talked, socket, waitMs })
  for (const command of commands) {
    if (!isAnswered) break
    if (command === '<tls>') {
      if (REFUSAL_AT_END.test(talked.text)) break
      socket = await startTls(socket, talked, waitMs)
    } else {
      const wanted = countReplies(talked) + command.split('\n').length
      socket.write(`${command.replaceAll('\n', '\r\n')}\r\n`)
      isAnswered = await until(() => countReplies(talked) >= wanted, { talked, socket, waitMs })
    }
  }
  if (isAnswered) await until(() => false, { talked, socket, waitMs })
  socket.removeAllListeners().on('error', () => {}) // later events are ignored
  socket.destroy()
  return { ...talked, codes: (talked.text.match(LAST_LINE) ?? []).map((line) => line.slice(0, 3)).join(' ') }
}

async function startTls(plain: Socket, talked: Talk, waitMs: number): Promise<Socket> {
  plain.removeAllListeners()
  let isSecure = false
  const socket = connectTls({ socket: plain, rejectUnauthorized: false, minVersion: 'TLSv1.2' })
  socket.on('secureConnect', () => (isSecure = true))
  socket.on('error', () => (talked.end = isSecure ? 'reset' : 'no_tls'))
  listen(talked, socket)
  await until(() => isSecure, { talked, socket, waitMs })
  return socket
}

function listen(talked: Talk, socket: Socket): Socket {
  return socket
    .on('data', (bytes: Buffer) => {
      talked.bytes += bytes.length
      talked.pieces += 1
      if (talked.text.length < TEXT_LENGTH_MAX) talked.text += bytes.toString('latin1')
    })
    .on('end', () => (talked.end = 'closed'))
    .on('error', ({ code = '' }: NodeJS.ErrnoException) => {
      if (talked.end === 'open') talked.end = ENDS[code] ?? 'reset'
    })
}

/** Waits until the condition is met, which it returns, or until the end of the connection or the timeout. */
function until(
  isEnough: () => boolean,
  { talked, socket, waitMs }: { talked: Talk; socket: Socket; waitMs: number },
): Promise<boolean> {
  const events = ['data', 'end', 'error', 'secureConnect']
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      for (const event of events) socket.off(event, look)
      resolve(isEnough() && talked.end === 'open')
    }
    const look = () => {
      if (isEnough() || talked.end !== 'open' || talked.bytes > BYTES_MAX) done()
    }
    const timer = setTimeout(done, waitMs)
    for (const event of events) socket.on(event, look)
    look()
  })
}

function countReplies({ text }: Talk): number {
  return text.match(LAST_LINE)?.length ?? 0
}
