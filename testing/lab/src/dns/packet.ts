/** The part of the DNS wire format (RFC 1035 §4) that the hostile server needs: parsing a query, writing a response. */
export type Question = {
  id: number
  /** In lower case, without the trailing dot. */
  name: string
  type: number
  /** The question section as received. */
  section: Buffer
}

export const TYPES = { a: 1, cname: 5, mx: 15, txt: 16, aaaa: 28 } as const
export const RCODES = { noerror: 0, formerr: 1, servfail: 2, nxdomain: 3, notimp: 4, refused: 5, notauth: 9 } as const

const HEADER_LENGTH = 12
const RESPONSE = 0x8000
const RECURSION = 0x0180 // recursion desired and available
export const TRUNCATED = 0x0200

export function readQuestion(message: Buffer): Question | undefined {
  if (message.length < HEADER_LENGTH + 5 || message.readUInt16BE(4) !== 1) return undefined
  const labels: string[] = []
  let at = HEADER_LENGTH
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const end = at + 5
  if (end > message.length) return undefined
  return {
    id: message.readUInt16BE(0),
    name: labels.join('.').toLowerCase(),
    type: message.readUInt16BE(at + 1),
    section: message.subarray(HEADER_LENGTH, end),
  }
}

type Parts = {
  id?: number
  flags?: number
  rcode?: number
  /** The question to repeat; `null` omits the section. */
  section?: Buffer | null
  answers?: Buffer[]
  authorities?: Buffer[]
  additionals?: Buffer[]
  /** The number of answers in the header, if it differs from the real number. */
  answerCount?: number
}

export function writeAnswer(question: Question, parts: Parts = {}): Buffer {
  const { answers = [], authorities = [], additionals = [], section = question.section } = parts
  const header = Buffer.alloc(HEADER_LENGTH)
  header.writeUInt16BE(parts.id ?? question.id, 0)
  header.writeUInt16BE((parts.flags ?? 0) | RESPONSE | RECURSION | (parts.rcode ?? RCODES.noerror), 2)
  header.writeUInt16BE(section === null ? 0 : 1, 4)
  header.writeUInt16BE(parts.answerCount ?? answers.length, 6)
  header.writeUInt16BE(authorities.length, 8)
  header.writeUInt16BE(additionals.length, 10)
  return Buffer.concat([header, section ?? Buffer.alloc(0), ...answers, ...authorities, ...additionals])
}

type RecordParts = { name?: Buffer; type: number; class?: number; data: Buffer; length?: number }

/** A resource record; its owner is the query name (a pointer to the question) unless another is given. */
export function writeRecord({ name = POINTER_TO_QUESTION, type, class: kind = 1, data, length }: RecordParts): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(kind, 2)
  fixed.writeUInt32BE(60, 4)
  fixed.writeUInt16BE(length ?? data.length, 8)
  return Buffer.concat([name, fixed, data])
}

const POINTER_TO_QUESTION = pointerTo(HEADER_LENGTH)

/** RFC 1035 §4.1.4: two bits set, then an offset from the start of the message. */
export function pointerTo(offset: number): Buffer {
  return Buffer.from([0xc0 | (offset >> 8), offset & 0xff])
}

export function writeName(name: string): Buffer {
  const labels = name === '' ? [] : name.split('.')
  return Buffer.concat([...labels.map(writeString), Buffer.from([0])])
}

export function writeMx(preference: number, exchange: Buffer): Buffer {
  return Buffer.concat([Buffer.from([preference >> 8, preference & 0xff]), exchange])
}

export function writeString(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')])
}

/** Over TCP the length precedes each message (RFC 1035 §4.2.2). */
export function frame(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length, 0)
  return Buffer.concat([length, message])
}
