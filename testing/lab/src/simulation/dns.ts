import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import {
  frame,
  type Question,
  RCODES,
  readQuestion,
  TYPES,
  writeAnswer,
  writeMx,
  writeName,
  writeRecord,
  writeString,
} from '../dns/packet.ts'
import type { NameData } from '../dns/zone-file.ts'
import { SIMULATED_NAMES } from './data/resolver-names.ts'
import type { ResolverLie } from './data/worlds.ts'
import type { SimulatedZone } from './zone.ts'

const IDLE_MS = 10_000
const SOA = 6

const SOA_DATA = Buffer.concat([
  writeName('ns.world.example'),
  writeName('hostmaster.world.example'),
  Buffer.from(new Uint32Array([1, 3_600, 600, 86_400, 60]).buffer).swap32(),
])

/** RFC 2308 §3: a negative response has a TTL, here one minute. */
const NONE = writeRecord({ name: writeName(''), type: SOA, data: SOA_DATA })

/** The lie of a resolver, and the address that it has for every name if that is the lie. */
type Lie = { lie: ResolverLie; address: string }

/**
 * Serves the DNS of a whole simulation over UDP and TCP, on 127.0.0.1 only. No response exceeds the 512 bytes of a
 * datagram (RFC 1035 §4.2.1), so none is ever truncated.
 */
export async function startSimulatedDns(zone: SimulatedZone, port: number, lie?: Lie) {
  const answer = lie === undefined ? openAnswers(zone) : openLies(lie)
  const { tcp, udp, connections } = await listen(answer, port)
  return {
    port: (tcp.address() as AddressInfo).port,
    async stop() {
      udp.close()
      for (const socket of connections) socket.destroy()
      tcp.close()
      await once(tcp, 'close')
    },
  }
}

type Answer = (message: Buffer) => Buffer | undefined

function openAnswers({ names, failing }: SimulatedZone): Answer {
  const parents = new Set(Object.keys(names).flatMap(withParents))
  // The owner name of a record points at the question section, so the records have the same bytes for every client.
  const written = new Map<string, Buffer[]>()
  const recordsOf = (question: Question, data: NameData) => {
    const key = `${question.type} ${question.name}`
    const records = written.get(key) ?? writeRecords(question.type, data)
    if (records.length > 0) written.set(key, records)
    return records
  }

  return (message) => {
    // A response is not a query: otherwise two servers would reply to each other forever.
    if (message.length < 12 || (message.readUInt8(2) & 0x80) !== 0) return undefined
    const question = readQuestion(message)
    if (question === undefined) return undefined
    if (withParents(question.name).some((name) => failing.has(name))) {
      return writeAnswer(question, { rcode: RCODES.servfail })
    }

    if (question.type === SOA && question.name === SIMULATED_NAMES.zone) {
      return writeAnswer(question, { answers: [writeRecord({ type: SOA, data: SOA_DATA })] })
    }

    const data = names[question.name]
    const answers = data === undefined ? [] : recordsOf(question, data)
    if (answers.length > 0) return writeAnswer(question, { answers })
    const rcode = data !== undefined || parents.has(question.name) ? RCODES.noerror : RCODES.nxdomain
    return writeAnswer(question, { rcode, authorities: [NONE] })
  }
}

/** A resolver that gives every question the same answer, and therefore has no need of a zone. */
function openLies({ lie, address }: Lie): Answer {
  return (message) => {
    if (message.length < 12 || (message.readUInt8(2) & 0x80) !== 0) return undefined
    const question = readQuestion(message)
    if (question === undefined) return undefined
    if (lie === 'servfail') return writeAnswer(question, { rcode: RCODES.servfail })
    if (lie === 'nxdomain') return writeAnswer(question, { rcode: RCODES.nxdomain, authorities: [NONE] })
    const answers = writeRecords(question.type, { a: [address] })
    return writeAnswer(question, answers.length > 0 ? { answers } : { authorities: [NONE] })
  }
}

/** The name and all its parents, except the root. */
function withParents(name: string): string[] {
  const found = [name]
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) found.push(name.slice(dot + 1))
  return found
}

function writeRecords(type: number, { mx = [], a = [], aaaa = [], txt = [] }: NameData): Buffer[] {
  switch (type) {
    case TYPES.mx:
      return mx.map(([preference, host]) => writeRecord({ type, data: writeMx(preference, writeName(host)) }))
    case TYPES.a:
      return a.map((address) => writeRecord({ type, data: Buffer.from(address.split('.').map(Number)) }))
    case TYPES.aaaa:
      return aaaa.map((address) => writeRecord({ type, data: writeIpv6(address) }))
    case TYPES.txt:
      return txt.map((text) => writeRecord({ type, data: Buffer.concat([text].flat().map(writeString)) }))
    default:
      return []
  }
}

/** An IPv6 address in the form `first::last`, the only one of the simulation. */
function writeIpv6(address: string): Buffer {
  const [first = '', last = ''] = address.split('::').map((half) =>
    half
      .split(':')
      .map((part) => part.padStart(4, '0'))
      .join(''),
  )
  return Buffer.from(first + last.padStart(32 - first.length, '0'), 'hex')
}

async function listen(
  answer: Answer,
  port: number,
): Promise<{ tcp: Server; udp: UdpSocket; connections: Set<Socket> }> {
  const connections = new Set<Socket>()
  const tcp = createServer((socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
    serveConnection(socket, answer)
  })
  tcp.listen({ host: '127.0.0.1', port })
  await once(tcp, 'listening')

  // The address comes from a datagram, so no lookup is needed and nothing blocks.
  const udp = createSocket({ type: 'udp4', lookup: (address, _, done) => done(null, address, 4) })
  udp.on('message', (message, from) => {
    // Only loopback reaches this socket; even otherwise a forged sender must get no response.
    const reply = from.address.startsWith('127.') ? answer(message) : undefined
    if (reply !== undefined) udp.send(reply, from.port, from.address)
  })
  try {
    const listening = once(udp, 'listening')
    udp.bind((tcp.address() as AddressInfo).port, '127.0.0.1')
    await listening
  } catch (error) {
    tcp.close()
    throw error
  }
  udp.setRecvBufferSize(4 * 1024 * 1024)
  return { tcp, udp, connections }
}

function serveConnection(socket: Socket, answer: Answer): void {
  let unread = Buffer.alloc(0)
  socket.setTimeout(IDLE_MS, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  socket.on('data', (bytes) => {
    unread = Buffer.concat([unread, bytes])
    while (unread.length >= 2 && unread.length >= 2 + unread.readUInt16BE(0)) {
      const end = 2 + unread.readUInt16BE(0)
      const reply = answer(unread.subarray(2, end))
      unread = unread.subarray(end)
      if (reply !== undefined) socket.write(frame(reply))
    }
  })
}
