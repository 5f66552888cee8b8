import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** What a server said to somebody who takes everything as it comes. */
export type Talk = {
  /** As Latin-1, so that no byte is lost; the first part of it where there is a flood. */
  text: string
  bytes: number
  /** In how many pieces it came. */
  pieces: number
  /** The codes of all replies that were complete. */
  codes: string
  /** How it stood when all was said: `open` means that the server left us waiting. */
  end: 'open' | 'closed' | 'reset' | 'refused' | 'no_tls'
}

type Where = { host: string; port: number; localAddress?: string }

const TEXT_LENGTH_MAX = 100_000
/** More than this nobody needs to see to know that there is no end to it. */
const BYTES_MAX = 16_000_000
/** The last line of a reply, however it is ended. */
const LAST_LINE = /^\d{3}(?:[^-\r\n][^\n]*)?\r?\n/gm
const REFUSAL_AT_END = /\n[45]\d\d [^\n]*\n$/
const ENDS: Record<string, Talk['end']> = { ECONNRESET: 'reset', EPIPE: 'reset', ECONNREFUSED: 'refused' }

/**
 * Says one command after the other, each when the one before is answered, and gives up on what takes longer than `waitMs`. What
 * has several lines is sent at once. After `<tls>` it goes on in TLS, whoever the server may be; where the server refused, it
 * says no more, since a handshake would be random commands to it.
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
  socket.removeAllListeners().on('error', () => {}) // what comes now is no longer of interest
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

/** Waits until it is enough, which it tells, or over, or too late. */
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
