import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { freePort } from '../services/daemon.ts'
import { LYING, type Turn, UNRELIABLE } from './behaviours.ts'
import {
  frame,
  type Question,
  readQuestion,
  TYPES,
  writeAnswer,
  writeMx,
  writeName,
  writeRecord,
  writeString,
} from './packet.ts'

type Reply = Omit<Turn, 'question' | 'nth' | 'truth' | 'later'>

const BEHAVIOURS = { ...UNRELIABLE, ...LYING }
const TYPES_IN_NAME: number[] = [TYPES.mx, TYPES.a, TYPES.aaaa]

/**
 * A DNS server that misbehaves as the query name says: `anything.silent.example` selects the behavior `silent`. With
 * `late-` before the behavior, the domain has no MX, and only later queries meet the behavior; with `policy-`, only TXT
 * queries do. `types--nodata--silent--truth.example` selects one behavior each for MX, A and AAAA.
 */
export async function startHostileDns() {
  const counts = new Map<string, number>()
  const timers = new Set<NodeJS.Timeout>()
  const later = (ms: number, work: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, ms)
    timers.add(timer)
  }

  const answer = (message: Buffer, reply: Reply) => {
    const question = readQuestion(message)
    if (question === undefined) return
    const [, domain = ''] = /([^.]+)\.example$/.exec(question.name) ?? []
    const nth = counts.get(domain) ?? 0
    counts.set(domain, nth + 1)
    behave(domain, { ...reply, question, nth, truth: truthOf(domain)(question), later })
  }

  const sockets = await listen(answer)
  return {
    port: sockets.port,
    /** Messages received for a name and its subdomains: over UDP and TCP, first attempts and retries. */
    countQuestions: (domain: string) => counts.get(domain.replace(/\.example$/, '').replace(/^.*\./, '')) ?? 0,
    stop: async () => {
      for (const timer of timers) clearTimeout(timer)
      await sockets.close()
    },
  }
}

function truthOf(domain: string) {
  if (domain.startsWith('types--')) return answerTrulyInFull
  return domain.startsWith('late-') ? answerTrulyWithoutMx : answerTruly
}

function behave(domain: string, turn: Turn): void {
  const name = nameBehaviour(domain, turn.question.type)
  const behaviour = BEHAVIOURS[name]
  if (behaviour === undefined) throw new Error(`The hostile DNS server knows no behaviour ${name}`)
  behaviour(turn)
}

function nameBehaviour(domain: string, type: number): string {
  const [stage, ...ofTypes] = domain.split('--')
  if (stage === 'types') return ofTypes[TYPES_IN_NAME.indexOf(type)] ?? 'truth'

  const [, when, name = ''] = /^(late-|policy-)?(.*)$/.exec(domain) ?? []
  const isSpared = (when === 'late-' && type === TYPES.mx) || (when === 'policy-' && type !== TYPES.txt)
  return isSpared ? 'truth' : name
}

type Answer = (message: Buffer, reply: Reply) => void

/** UDP and TCP on the same port. */
async function listen(answer: Answer) {
  const connections = new Set<Socket>()
  const tcp = createServer((socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
    serveConnection(socket, answer)
  })
  const port = await freePort()
  tcp.listen(port, '127.0.0.1')
  await once(tcp, 'listening')

  const udp = createSocket('udp4')
  udp.on('message', (message, { port: to, address }) => {
    const send = (bytes: Buffer) => udp.send(bytes, to, address)
    answer(message, { overTcp: false, send, sendBytes: send, hangUp: () => {} })
  })
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')

  const close = async () => {
    udp.close()
    for (const socket of connections) socket.destroy()
    tcp.close()
    await once(tcp, 'close')
  }
  return { port, close }
}

function serveConnection(socket: Socket, answer: Answer): void {
  let unread = Buffer.alloc(0)
  const sendBytes = (bytes: Buffer) => {
    if (socket.writable) socket.write(bytes)
  }
  socket.on('error', () => socket.destroy())
  socket.on('data', (bytes) => {
    unread = Buffer.concat([unread, bytes])
    while (unread.length >= 2 && unread.length >= 2 + unread.readUInt16BE(0)) {
      const end = 2 + unread.readUInt16BE(0)
      const message = unread.subarray(2, end)
      unread = unread.subarray(end)
      answer(message, {
        overTcp: true,
        send: (reply) => sendBytes(frame(reply)),
        sendBytes,
        hangUp: () => socket.end(),
      })
    }
  })
}

/**
 * The honest response for any `….example`: one mail host without address, an SPF record, and DMARC only at the
 * organizational domain, so that the resolver has to send every query.
 */
export function answerTruly(question: Question): Buffer {
  const { name, type } = question
  if (type === TYPES.mx) return withRecord(question, TYPES.mx, writeMx(10, writeName(`mx.${name}`)))
  if (type === TYPES.txt && /^_dmarc\.[^.]+\.example$/.test(name)) return withText(question, 'v=DMARC1; p=none')
  if (type === TYPES.txt && !name.startsWith('_dmarc.')) return withText(question, 'v=spf1 mx -all')
  return writeAnswer(question)
}

/** The honest response for a domain without MX that is its own mail host. */
export function answerTrulyWithoutMx(question: Question): Buffer {
  if (question.type === TYPES.mx) return writeAnswer(question)
  if (question.type === TYPES.a) return withRecord(question, TYPES.a, Buffer.from([192, 0, 2, 25]))
  return answerTruly(question)
}

/** The honest response for a domain with an MX and addresses of both families. */
export function answerTrulyInFull(question: Question): Buffer {
  if (question.type === TYPES.aaaa)
    return withRecord(question, TYPES.aaaa, Buffer.from('20010db8'.padEnd(32, '0'), 'hex'))
  return question.type === TYPES.a ? answerTrulyWithoutMx(question) : answerTruly(question)
}

function withText(question: Question, text: string): Buffer {
  return withRecord(question, TYPES.txt, writeString(text))
}

function withRecord(question: Question, type: number, data: Buffer): Buffer {
  return writeAnswer(question, { answers: [writeRecord({ type, data })] })
}
