import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect, isIPv6 } from 'node:net'

/** The header of a DNS response. Node's resolver does not expose the AD flag, so the query is sent by hand. */
export type Heard =
  | { kind: 'answer'; rcode: number; isValidated: boolean; isCutShort: boolean; records: number; ms: number }
  | { kind: 'silent' }
  | { kind: 'failed'; why: string }

export const RCODES = { noerror: 0, servfail: 2, nxdomain: 3, refused: 5 } as const
export const TYPES = { a: 1, soa: 6 } as const

type Question = { name: string; type: number; overTcp?: boolean; timeoutMs?: number }

const TIMEOUT_MS = 3_000
const DNS_PORT = 53

/** Sends one query to one resolver over UDP or TCP, without a retry, so that packet loss is visible. */
export function askServer(server: string, { name, type, overTcp = false, timeoutMs = TIMEOUT_MS }: Question) {
  const id = randomInt(65_536)
  const message = writeQuestion(id, name, type)
  const place = readServer(server)
  return overTcp ? askByTcp(place, message, timeoutMs) : askByUdp(place, message, timeoutMs)
}

type Place = { host: string; port: number }

/** `address`, `address:port` or `[address]:port`. */
export function readServer(server: string): Place {
  const [, literal, port] = /^\[(.+)\](?::(\d+))?$/.exec(server) ?? []
  if (literal !== undefined) return { host: literal, port: Number(port ?? DNS_PORT) }
  if (isIPv6(server)) return { host: server, port: DNS_PORT }
  const [host = '', own] = server.split(':')
  return { host, port: Number(own ?? DNS_PORT) }
}

function askByUdp({ host, port }: Place, message: Buffer, timeoutMs: number): Promise<Heard> {
  const began = performance.now()
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
    const end = (heard: Heard) => {
      clearTimeout(timer)
      socket.close()
      resolve(heard)
    }
    const timer = setTimeout(() => end({ kind: 'silent' }), timeoutMs)
    socket.once('error', ({ message: why }) => end({ kind: 'failed', why }))
    socket.on('message', (answer) => {
      if (isAnswerTo(message, answer)) end(readAnswer(answer, began))
    })
    // A connected socket accepts datagrams from the resolver only, and reports a closed port.
    socket.connect(port, host, () => socket.send(message))
  })
}

function askByTcp({ host, port }: Place, message: Buffer, timeoutMs: number): Promise<Heard> {
  const began = performance.now()
  return new Promise((resolve) => {
    let heard = Buffer.alloc(0)
    const socket = connect({ host, port, autoSelectFamily: false })
    const end = (answer: Heard) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(() => end({ kind: 'silent' }), timeoutMs)
    socket.on('error', ({ message: why }) => end({ kind: 'failed', why }))
    socket.on('end', () => end({ kind: 'failed', why: 'the resolver closed the connection' }))
    socket.on('data', (bytes) => {
      heard = Buffer.concat([heard, bytes])
      const answer = heard.subarray(2)
      if (heard.length < 2 || answer.length < heard.readUInt16BE(0)) return
      end(
        isAnswerTo(message, answer)
          ? readAnswer(answer, began)
          : { kind: 'failed', why: 'the response has another query id' },
      )
    })
    const length = Buffer.alloc(2)
    length.writeUInt16BE(message.length, 0)
    socket.write(Buffer.concat([length, message]))
  })
}

const HEADER_LENGTH = 12
const RECURSION_DESIRED = 0x0100
/** RFC 6840 §5.7: set in a query, it requests the AD flag in the response. */
const AUTHENTIC = 0x0020
const CUT_SHORT = 0x0200

function writeQuestion(id: number, name: string, type: number): Buffer {
  const header = Buffer.alloc(HEADER_LENGTH)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE(RECURSION_DESIRED | AUTHENTIC, 2)
  header.writeUInt16BE(1, 4)
  const labels = name === '' ? [] : name.split('.')
  const parts = labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')]))
  return Buffer.concat([header, ...parts, Buffer.from([0, 0, type, 0, 1])])
}

function isAnswerTo(question: Buffer, answer: Buffer): boolean {
  return answer.length >= HEADER_LENGTH && answer.readUInt16BE(0) === question.readUInt16BE(0)
}

function readAnswer(answer: Buffer, began: number): Heard {
  const flags = answer.readUInt16BE(2)
  return {
    kind: 'answer',
    rcode: flags & 0x000f,
    isValidated: (flags & AUTHENTIC) !== 0,
    isCutShort: (flags & CUT_SHORT) !== 0,
    records: answer.readUInt16BE(6),
    ms: performance.now() - began,
  }
}
