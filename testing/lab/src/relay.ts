import { connect, createServer, isIPv4, type Socket } from 'node:net'
import { watchSession } from './mail/watch.ts'
import type { SessionRecord } from './smtp/record.ts'

export type Relay = {
  host: string
  port: number
  /** Accepted connections so far. */
  connections(): number
  /** Forwards nothing until `resume`, neither bytes nor the end of a connection, as on a path that loses all packets. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

type RelayOptions = {
  host: string
  /** 0 selects any free port. */
  port: number
  to: { host: string; port: number }
  /** The round-trip delay. */
  delayMs?: number
  /** The name under which the SMTP verbs of clients are recorded. */
  record?: Pick<SessionRecord, 'server' | 'errorsMax'>
}

/** An event on one side that is to be repeated on the other. */
type Step = Buffer | 'end' | 'reset'

const HELD_STEPS_MAX = 1_000

/**
 * Adds network latency in front of a loopback server. The server sees the client's own IP address. A client's `connect`
 * cannot be delayed, so that time is added before the first bytes.
 */
export async function startRelay({ host, port, to, delayMs = 0, record }: RelayOptions): Promise<Relay> {
  const open = new Set<Socket>()
  const gate: Gate = { isClosed: false, waiting: [] }
  let connections = 0
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    connections += 1
    const watch = record && watchSession(record)
    const upstream = connect({ ...to, ...sourceOf(client), allowHalfOpen: true, noDelay: true })
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('close', () => open.delete(socket))
    }
    if (watch) client.on('close', watch.end)

    // The handshake takes one round trip plus half of one to the server; its first bytes take another half.
    const now = performance.now()
    const ways = { delayMs: delayMs / 2, gate }
    forward(client, upstream, { ...ways, notBefore: now + 1.5 * delayMs, watch: watch?.fromClient })
    forward(upstream, client, { ...ways, notBefore: now + 2 * delayMs, watch: watch?.fromServer })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  return {
    host,
    port: typeof address === 'object' && address ? address.port : port,
    connections: () => connections,
    pause: () => {
      gate.isClosed = true
    },
    resume() {
      gate.isClosed = false
      for (const pass of gate.waiting.splice(0)) pass()
    },
    async stop() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** On Linux all of 127.0.0.0/8 is local, so the relay can use the address of any client in it as its source. */
function sourceOf({ remoteAddress = '' }: Socket): { localAddress?: string } {
  return isIPv4(remoteAddress) && remoteAddress.startsWith('127.') ? { localAddress: remoteAddress } : {}
}

/** The events of all connections that wait for `resume`, in order. */
type Gate = { isClosed: boolean; waiting: (() => void)[] }

type Way = { delayMs: number; notBefore: number; gate: Gate; watch: ((chunk: Buffer) => void) | undefined }

/** Repeats the events of the source at the target, in the same order. */
function forward(source: Socket, target: Socket, { delayMs, notBefore, gate, watch }: Way): void {
  const send =
    delayMs === 0 ? (step: Step) => take(step, source, target) : holdBack(source, target, { delayMs, notBefore })
  const pass = (step: Step) => (gate.isClosed ? gate.waiting.push(() => send(step)) : send(step))
  source.on('data', (chunk) => {
    watch?.(chunk)
    pass(chunk)
  })
  source.on('end', () => pass('end'))
  source.on('error', () => pass('reset'))
}

function take(step: Step, source: Socket, target: Socket): void {
  if (target.destroyed) return
  if (step === 'end') target.end()
  else if (step === 'reset') target.resetAndDestroy()
  else if (!target.write(step)) {
    source.pause()
    target.once('drain', () => source.resume())
  }
}

/** One timer for all pending events, so that their order is kept. */
function holdBack(
  source: Socket,
  target: Socket,
  { delayMs, notBefore }: Pick<Way, 'delayMs' | 'notBefore'>,
): (step: Step) => void {
  const held: { due: number; step: Step }[] = []
  let timer: NodeJS.Timeout | undefined
  const release = () => {
    timer = undefined
    for (let first = held[0]; first !== undefined && first.due <= performance.now(); first = held[0]) {
      held.shift()
      take(first.step, source, target)
    }
    if (held.length === 0 && !target.writableNeedDrain) source.resume()
    wait()
  }
  const wait = () => {
    const [first] = held
    if (first === undefined || timer !== undefined) return
    timer = setTimeout(release, Math.max(0, Math.ceil(first.due - performance.now())))
  }
  target.on('close', () => clearTimeout(timer))
  return (step) => {
    held.push({ due: Math.max(performance.now() + delayMs, notBefore), step })
    if (held.length > HELD_STEPS_MAX) source.pause()
    wait()
  }
}
