import { type Question, TYPES, writeAnswer, writeMx, writeName, writeRecord, writeString } from './packet.ts'

/**
 * What the hostile server says of any `….example` when it tells the truth: there is one mail host and no address, an SPF record,
 * and DMARC at the organisational domain alone; so that every question there is has to be asked.
 */
export function answerTruly(question: Question): Buffer {
  const { name, type } = question
  if (type === TYPES.mx) return withRecord(question, TYPES.mx, writeMx(10, writeName(`mx.${name}`)))
  if (type === TYPES.txt && /^_dmarc\.[^.]+\.example$/.test(name)) return withText(question, 'v=DMARC1; p=none')
  if (type === TYPES.txt && !name.startsWith('_dmarc.')) return withText(question, 'v=spf1 mx -all')
  return writeAnswer(question)
}

/** The same of a domain that has no MX and is its own mail host. */
export function answerTrulyWithoutMx(question: Question): Buffer {
  if (question.type === TYPES.mx) return writeAnswer(question)
  if (question.type === TYPES.a) return withRecord(question, TYPES.a, Buffer.from([192, 0, 2, 25]))
  return answerTruly(question)
}

/** The same of a domain that has an MX and addresses of both kinds. */
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
