import { randomBytes } from 'node:crypto'
import {
  frame,
  pointerTo,
  type Question,
  RCODES,
  TRUNCATED,
  TYPES,
  writeAnswer,
  writeMx,
  writeName,
  writeRecord,
} from './packet.ts'

/** One query to the hostile server, and the means to reply to it. */
export type Turn = {
  question: Question
  overTcp: boolean
  /** Number of earlier queries for the domain, from 0. */
  nth: number
  /** The response of an honest server. */
  truth: Buffer
  /** Sends a message, preceded by its length over TCP. */
  send(message: Buffer): void
  /** Over TCP: sends raw bytes. */
  sendBytes(bytes: Buffer): void
  /** Over TCP: closes the connection. */
  hangUp(): void
  later(ms: number, work: () => void): void
}

type Behaviour = (turn: Turn) => void

/** Sends a truncated reply (TC bit) over UDP and misbehaves over TCP. */
function onTcp(behaviour: Behaviour): Behaviour {
  return (turn) => (turn.overTcp ? behaviour(turn) : turn.send(writeAnswer(turn.question, { flags: TRUNCATED })))
}

function says(rcode: number): Behaviour {
  return ({ send, question }) => send(writeAnswer(question, { rcode }))
}

function tellsTruth({ send, truth }: Turn): void {
  send(truth)
}

function tellsTruthAfter(ms: number): Behaviour {
  return (turn) => turn.later(ms, () => tellsTruth(turn))
}

/** Replies with made-up records; `data` is the same for every query. */
function answersWith(type: number, data: Buffer, more: { length?: number; class?: number } = {}): Behaviour {
  return ({ send, question }) => send(writeAnswer(question, { answers: [writeRecord({ type, data, ...more })] }))
}

/**
 * Offset of the data of the first answer: after header, question, and the answer's owner, type, class, TTL and length.
 */
function startOfData({ section }: Question): number {
  return 12 + section.length + 12
}

/** Responses that never mean "no such record": no series of them may mark a domain as undeliverable. */
export const UNRELIABLE: Record<string, Behaviour> = {
  truth: tellsTruth,
  silent: () => {},
  garbage: ({ send }) => send(randomBytes(64)),
  empty: ({ send }) => send(Buffer.alloc(0)),
  'header-only': ({ send, question }) => send(writeAnswer(question).subarray(0, 12)),
  'wrong-id': ({ send, question }) => send(writeAnswer(question, { id: question.id ^ 1, rcode: RCODES.nxdomain })),
  'other-question': ({ send, question }) =>
    send(writeAnswer(question, { section: otherQuestion(question), rcode: RCODES.nxdomain })),
  servfail: says(RCODES.servfail),
  refused: says(RCODES.refused),
  formerr: says(RCODES.formerr),
  notimp: says(RCODES.notimp),
  'unassigned-rcode': says(15),
  half: ({ send, question }) => {
    const message = writeAnswer(question, { answers: [mxRecord(question)] })
    send(message.subarray(0, message.length - 4))
  },
  'too-few-answers': ({ send, question }) =>
    send(writeAnswer(question, { answers: [mxRecord(question)], answerCount: 65_535 })),
  'pointer-loop': ({ send, question }) =>
    send(writeAnswer(question, { answers: [mxRecord(question, pointerTo(startOfData(question) + 2))] })),
  'pointer-outside': ({ send, question }) =>
    send(writeAnswer(question, { answers: [mxRecord(question, pointerTo(0x3fff))] })),
  'long-label': answersWith(TYPES.mx, writeMx(10, Buffer.from([0x80, ...Buffer.alloc(128, 'x'), 0]))),
  'long-name': answersWith(TYPES.mx, writeMx(10, writeName(Array(40).fill('too-long').join('.')))),
  'data-overrun': answersWith(TYPES.mx, writeMx(10, writeName('mx.example')), { length: 4_000 }),
  'data-short': answersWith(TYPES.mx, Buffer.alloc(0)),
  'alias-loop': ({ send, question }) =>
    send(writeAnswer(question, { answers: [writeRecord({ type: TYPES.cname, data: writeName(question.name) })] })),
  'alias-only': answersWith(TYPES.cname, writeName('elsewhere.example')),
  'flapping-nxdomain': (turn) => (turn.nth % 2 === 0 ? says(RCODES.nxdomain)(turn) : tellsTruth(turn)),
  'mostly-nxdomain': (turn) => (turn.nth % 3 === 2 ? tellsTruth(turn) : says(RCODES.nxdomain)(turn)),
  'flapping-nodata': (turn) => (turn.nth % 2 === 0 ? says(RCODES.noerror)(turn) : tellsTruth(turn)),
  'nxdomain-or-servfail': (turn) => says(turn.nth % 2 === 0 ? RCODES.nxdomain : RCODES.servfail)(turn),
  'nodata-or-refused': (turn) => says(turn.nth % 2 === 0 ? RCODES.noerror : RCODES.refused)(turn),
  'nxdomain-or-nodata': (turn) => says(turn.nth % 2 === 0 ? RCODES.nxdomain : RCODES.noerror)(turn),
  'nxdomain-then-nodata': (turn) => says(turn.nth % 6 < 3 ? RCODES.nxdomain : RCODES.noerror)(turn),
  'nxdomain-or-silence': (turn) => (turn.nth % 2 === 0 ? says(RCODES.nxdomain)(turn) : undefined),
  'servfail-then-truth': (turn) => (turn.nth % 2 === 0 ? says(RCODES.servfail)(turn) : tellsTruth(turn)),
  'silence-then-truth': (turn) => (turn.nth % 2 === 0 ? undefined : tellsTruth(turn)),
  'slow-900': tellsTruthAfter(900),
  'slow-1900': tellsTruthAfter(1_900),
  'slow-2500': tellsTruthAfter(2_500),
  shouting: ({ send, question, truth }) =>
    send(question.type === TYPES.mx ? writeAnswer(question, { answers: [shoutedMx(question)] }) : truth),
  'repeats-itself': (turn) => {
    for (let n = 0; n < 100; n++) tellsTruth(turn)
  },
  'bits-flipped': ({ send, truth }) => send(flipBits(truth)),
  'tcp-truth': onTcp(tellsTruth),
  'tcp-silent': onTcp(() => {}),
  'tcp-late-truth': onTcp((turn) => (turn.nth % 16 < 5 ? undefined : tellsTruth(turn))),
  'tcp-hangs-up': onTcp(({ hangUp }) => hangUp()),
  'tcp-garbage': onTcp(({ sendBytes }) => sendBytes(randomBytes(4_096))),
  'tcp-half': onTcp(({ sendBytes, hangUp, truth }) => {
    sendBytes(frame(truth).subarray(0, truth.length / 2))
    hangUp()
  }),
  'tcp-drip': onTcp((turn) => drip(turn, frame(turn.truth))),
  'tcp-flood': onTcp(({ sendBytes }) => sendBytes(Buffer.alloc(4_000_000, 0xff))),
  'tcp-huge': onTcp(({ send, question, truth }) =>
    send(question.type === TYPES.mx ? writeAnswer(question, { answers: manyMx(question, 1_500) }) : truth),
  ),
}

/**
 * Responses that are indistinguishable from "no such record": either the message says so, or Node's resolver turns it
 * into ENODATA (it ignores the QR bit, rare response codes, and a TC bit over TCP). The engine believes such a
 * resolver; the tests only require that the lookup takes no longer than others.
 */
export const LYING: Record<string, Behaviour> = {
  nxdomain: says(RCODES.nxdomain),
  nodata: says(RCODES.noerror),
  echo: ({ send, question }) => {
    const message = writeAnswer(question)
    message.writeUInt16BE(0x0100, 2) // a query, not a response
    send(message)
  },
  notauth: says(RCODES.notauth),
  'other-type': answersWith(99, writeName('mx.example')),
  'other-class': ({ send, question }) =>
    send(writeAnswer(question, { answers: [writeRecord({ type: question.type, class: 3, data: Buffer.alloc(6) })] })),
  'wrong-section': ({ send, question }) => send(writeAnswer(question, { additionals: [mxRecord(question)] })),
  'nxdomain-with-answer': ({ send, question }) =>
    send(writeAnswer(question, { rcode: RCODES.nxdomain, answers: [mxRecord(question)] })),
  'referral-only': ({ send, question }) =>
    send(writeAnswer(question, { authorities: [writeRecord({ type: 2, data: writeName('ns.example') })] })),
  'tcp-truncated-too': ({ send, question }) => send(writeAnswer(question, { flags: TRUNCATED })),
}

function mxRecord(question: Question, exchange = writeName(`mx.${question.name}`)): Buffer {
  return writeRecord({ type: TYPES.mx, data: writeMx(10, exchange) })
}

function shoutedMx(question: Question): Buffer {
  return mxRecord(question, writeName(`MX.${question.name.toUpperCase()}`))
}

function manyMx(question: Question, count: number): Buffer[] {
  return Array.from({ length: count }, (_, n) => mxRecord(question, writeName(`m${n}.example`)))
}

function otherQuestion({ type }: Question): Buffer {
  return Buffer.concat([writeName('other.example'), Buffer.from([0, type, 0, 1])])
}

function drip(turn: Turn, bytes: Buffer): void {
  if (bytes.length === 0) return
  turn.sendBytes(bytes.subarray(0, 1))
  turn.later(200, () => drip(turn, bytes.subarray(1)))
}

/** Flips two bits after the id: with more, hardly any message could be parsed at all. */
function flipBits(message: Buffer): Buffer {
  for (const at of randomBytes(2)) {
    const index = 2 + (at % (message.length - 2))
    message[index] = (message[index] ?? 0) ^ (1 << (at % 8))
  }
  return message
}
