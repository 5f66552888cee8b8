import type { Socket } from 'node:net'
import { type Lines, readLines } from '../lines.ts'

/** One connection to a hostile server, and the means to treat it badly. */
export type Visit = {
  socket: Socket
  lines: Lines
  /** What this behaviour remembers from one visit to the next. */
  memory: Map<string, number>
  /** How long a unit of time is. */
  unitMs: number
  /** Recipients asked for on this connection. */
  asked: number
  /** Replies that are kept back. */
  held: string
  /** Everything the client said. */
  verbs: string[]
  /** Bytes as they are, unless the client is gone. */
  send(bytes: string | Uint8Array): void
  /** One reply with the end of line it needs; lines in it are separated by `\n`. */
  say(reply: string): void
  /** Over when the client is gone, too: then nothing more is to be done. */
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

/** Sends the same bytes again and again, at the pace at which they are taken, so that no flood is ever held in memory. */
export async function pour(visit: Visit, bytes: Uint8Array, times: number): Promise<void> {
  for (let n = 0; n < times && !visit.isOver(); n++) {
    if (!visit.socket.write(bytes)) await drained(visit.socket)
  }
}

/** Sends a byte at a time, so long apart. */
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
