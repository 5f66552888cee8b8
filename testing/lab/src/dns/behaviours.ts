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

/** One question put to the hostile server, and the means to answer it. */
export type Turn = {
  question: Question
  overTcp: boolean
  /** The how-manieth question this is for its domain, from 0. */
  nth: number
  /** What an honest server would say. */
  truth: Buffer
  /** Sends a message, with its length before it over TCP. */
  send(message: Buffer): void
  /** Over TCP: sends bytes as they are. */
  sendBytes(bytes: Buffer): void
  /** Over TCP: ends the connection. */
  hangUp(): void
  later(ms: number, work: () => void): void
}

type Behaviour = (turn: Turn) => void

/** Says on UDP "ask again over TCP", and there does something else. */
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

/** Answers with records of its own making; `data` is the same whatever was asked for. */
function answersWith(type: number, data: Buffer, more: { length?: number; class?: number } = {}): Behaviour {
  return ({ send, question }) => send(writeAnswer(question, { answers: [writeRecord({ type, data, ...more })] }))
}

/** Where the data of the first answer begins: behind header, question, and the answer's owner, type, class, TTL and length. */
function startOfData({ section }: Question): number {
  return 12 + section.length + 12
}

/** What never says that there is nothing: no series of these may make a domain look dead. */
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
 * What cannot be told from "there is none": the answer says so, or Node's resolver makes ENODATA of it (it looks neither at the
 * bit that marks an answer, nor at rare codes, nor at a TC bit over TCP). A resolver that lies like this is believed; what is
 * promised is only that it costs no more than others.
 */
export const LYING: Record<string, Behaviour> = {
  nxdomain: says(RCODES.nxdomain),
  nodata: says(RCODES.noerror),
  echo: ({ send, question }) => {
    const message = writeAnswer(question)
    message.writeUInt16BE(0x0100, 2) // a question, not an answer
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

/** Two bits, anywhere behind the id: with more, hardly any message can be read at all. */
function flipBits(message: Buffer): Buffer {
  for (const at of randomBytes(2)) {
    const index = 2 + (at % (message.length - 2))
    message[index] = (message[index] ?? 0) ^ (1 << (at % 8))
  }
  return message
}
