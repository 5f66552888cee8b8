import type { Socket } from 'node:net'
import { type Lines, readLines } from '../lines.ts'

/** One connection to a hostile server, and the means to misbehave on it. */
export type Visit = {
  socket: Socket
  lines: Lines
  /** State of this behavior that is kept between connections. */
  memory: Map<string, number>
  /** The length of a time unit. */
  unitMs: number
  /** Recipients of RCPT commands on this connection. */
  asked: number
  /** Replies that are held back. */
  held: string
  /** All verbs sent by the client. */
  verbs: string[]
  /** Sends raw bytes, unless the client has disconnected. */
  send(bytes: string | Uint8Array): void
  /** Sends one reply with its line end; lines within it are separated by `\n`. */
  say(reply: string): void
  /** Also ends when the client disconnects: then no further action is needed. */
  wait(units: number): Promise<void>
  isOver(): boolean
}

export function openVisit(socket: Socket, { unitMs, memory }: Pick<Visit, 'unitMs' | 'memory'>): Visit {
  const send = (bytes: string | Uint8Array) => {
    if (socket.writable) socket.write(bytes)
  }
  return {
    socket,
    lines: readLines(socket),
    memory,
    unitMs,
    asked: 0,
    held: '',
    verbs: [],
    send,
    say: (reply) => send(`${reply.replaceAll('\n', '\r\n')}\r\n`),
    wait: (units) => waitFor(units * unitMs, socket),
    isOver: () => socket.destroyed || socket.writableEnded,
  }
}

/** The same visit over another connection, as after STARTTLS. */
export function moveVisit(visit: Visit, socket: Socket): Visit {
  return { ...openVisit(socket, visit), verbs: visit.verbs }
}

/** Sends the same bytes repeatedly, as fast as the client reads them, so that a flood is never buffered in memory. */
export async function pour(visit: Visit, bytes: Uint8Array, times: number): Promise<void> {
  for (let n = 0; n < times && !visit.isOver(); n++) {
    if (!visit.socket.write(bytes)) await drained(visit.socket)
  }
}

/** Sends one byte at a time with a delay. */
export async function drip(visit: Visit, bytes: Uint8Array, units: number): Promise<void> {
  for (const byte of bytes) {
    if (visit.isOver()) return
    visit.send(Uint8Array.of(byte))
    await visit.wait(units)
  }
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done)
      resolve()
    }
    socket.on('drain', done).on('close', done)
  })
}

function waitFor(ms: number, socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      socket.off('close', done)
      resolve()
    }
    const timer = setTimeout(done, ms).unref()
    socket.on('close', done)
  })
}
