import { connect, type Socket } from 'node:net'
import { sourceAddress } from './source-addresses.ts'

export type ValidatorRun = { method: string; path: string; body?: string }
export type Said = { status: number; hasRetryAfter: boolean }

/** The outcome of a request; status 0 is a broken connection. */
type Listener = (said: Said) => void

type Line = { socket: Socket; listener: Listener | undefined; hasAnswered: boolean; received: string }

export const GIVE_UP_MS = 30_000
const BROKEN: Said = { status: 0, hasRetryAfter: false }

/**
 * A minimal HTTP client over persistent connections: thousands of clients share the machine with the server, so they
 * must use little CPU time. It reads responses with a Content-Length only.
 */
export function openClients(url: string, key: string) {
  const { hostname, port, host } = new URL(url)
  const free: Line[] = []
  let opened = 0

  function open(): Line {
    const localAddress = sourceAddress(opened)
    opened += 1
    const socket = connect({ host: hostname, port: Number(port), localAddress, noDelay: true })
    const line: Line = { socket, listener: undefined, hasAnswered: false, received: '' }
    socket.setEncoding('latin1')
    socket.setTimeout(GIVE_UP_MS, () => socket.destroy())
    socket.on('data', (chunk: string) => hear(line, chunk))
    socket.on('error', () => {}) // 'close' follows
    socket.on('close', () => end(line, BROKEN))
    return line
  }
  function end(line: Line, said: Said): void {
    const { listener } = line
    line.listener = undefined
    listener?.(said)
  }
  function hear(line: Line, chunk: string): void {
    line.received += chunk
    const said = readAnswer(line.received)
    if (said === undefined) return
    line.received = ''
    line.hasAnswered = true
    if (!said.isLast) free.push(line)
    end(line, said)
  }
  function send({ method, path, body = '' }: ValidatorRun, listener: Listener, isFirst = true): void {
    let line = free.pop()
    while (line?.socket.destroyed) line = free.pop()
    line ??= open()
    const wasUsed = line.hasAnswered
    line.listener = (said) => {
      // As in every client: a kept connection may have been closed just before its reuse.
      if (said.status === 0 && wasUsed && isFirst) send({ method, path, body }, listener, false)
      else listener(said)
    }
    const type = body === '' ? '' : 'Content-Type: application/json\r\n'
    line.socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${key}\r\n${type}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  }
  return { send }
}

const LENGTH = /\r\ncontent-length: (\d+)/i
const RETRY_AFTER = /\r\nretry-after: /i
const CLOSE = /\r\nconnection: close/i

/** The status and body of a complete response; undefined while a part is missing. */
function readAnswer(received: string): (Said & { isLast: boolean }) | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const head = received.slice(0, headEnd)
  const length = LENGTH.exec(head)?.[1]
  if (length === undefined) throw new Error(`an answer without a length: ${head}`)
  if (received.length < headEnd + 4 + Number(length)) return undefined
  return { status: Number(head.slice(9, 12)), hasRetryAfter: RETRY_AFTER.test(head), isLast: CLOSE.test(head) }
}
