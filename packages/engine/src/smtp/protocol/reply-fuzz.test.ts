import { expect, test } from 'vitest'
import { bestTime } from '../../test-best-time.ts'
import { classifyReply, type ReplyContext } from '../replies/classify.ts'
import { REPLY_FIXTURES } from '../replies/data/reply-fixtures.ts'
import { MISLEADING_REPLIES } from '../replies/data/reply-fixtures-negative.ts'
import { PROVIDER_REPLY_FIXTURES } from '../replies/data/reply-fixtures-providers.ts'
import { cleanText, normalizeReply } from '../replies/reply-text.ts'
import { createReplyReader, type Reply, type Stage } from './reply-reader.ts'

/** FUZZ=10000000 for a longer search, SEED for another one. */
const INPUTS = Number(process.env['FUZZ'] ?? 1_000_000)
/** The part that the tests of a pull request have time for. */
const FIRST_INPUTS = INPUTS / 10
const SEED = Number(process.env['SEED'] ?? 5321)

const MS_MAX = 5
const STAGES: Stage[] = ['greeting', 'ehlo', 'starttls', 'mail', 'rcpt', 'rcpt', 'rcpt', 'rcpt']
const RECIPIENTS = [
  'ada@example.com',
  '"user unknown"@example.com',
  'no.user@mail.example.com',
  'x',
  '',
  '@',
  'İ.ada@example.com',
]
const IDENTITY = {
  addresses: ['192.0.2.25', '2001:db8::25'],
  heloName: 'probe.verify.example',
  senderDomain: 'verify.example',
}

const FIXTURES = [...REPLY_FIXTURES, ...PROVIDER_REPLY_FIXTURES, ...MISLEADING_REPLIES]
const SEEDS = FIXTURES.flatMap(({ replies }) => replies.map((reply) => `${reply.replaceAll('\n', '\r\n')}\r\n`))
const PROVIDERS = [...new Set(FIXTURES.map(({ provider }) => provider))]
const WORDS = [...new Set(SEEDS.flatMap((text) => text.split(/[\s:;.]+/)))]
const ODD = [
  '\0',
  '\x1b[2J',
  '\r',
  '\n',
  '\r\n550-',
  '\xc3\xa9',
  '\xff\xfe',
  '\t',
  '@',
  '<',
  '(#5.1.1)',
  '5.7.1 ',
  '#',
  '\xe2\x80\xae',
]

type Random = (below: number) => number

test('reply parsing and classification accept any input without throwing and keep their invariants', {
  timeout: 120_000 + INPUTS,
}, () => {
  const readable = search(FIRST_INPUTS, readAll)
  // The search would prove nothing if very few inputs were readable.
  expect(readable).toBeGreaterThan(FIRST_INPUTS / 2)
})

test('any reply is parsed and classified within 5 ms', { tags: ['timed'], timeout: 120_000 + INPUTS }, () => {
  const readable = search(INPUTS, (bytes, context) => {
    const started = performance.now()
    const replies = readAll(bytes, context)
    if (performance.now() - started > MS_MAX) throwIfSlow(bytes, context)
    return replies
  })
  expect(readable).toBeGreaterThan(INPUTS / 2)
})

/** The number of replies found in the given number of inputs. */
function search(inputs: number, read: typeof readAll): number {
  const random = makeRandom(SEED)
  let readable = 0
  for (let left = inputs; left > 0; left -= 1) {
    readable += read(Buffer.from(makeReply(random), 'latin1'), makeContext(random))
  }
  return readable
}

function throwIfSlow(bytes: Buffer, context: ReplyContext): void {
  const ms = bestTime(MS_MAX, () => void readAll(bytes, context))
  if (ms > MS_MAX) throw new Error(`${ms} ms for ${JSON.stringify(bytes.toString('latin1'))}`)
}

function readAll(bytes: Buffer, context: ReplyContext): number {
  const reader = createReplyReader()
  const { replies, fault } = reader.push(bytes)
  if (fault !== null && reader.pending() !== 0) throw new Error('bytes are kept after a fault')
  for (const reply of replies) checkInvariants(reply, context)
  return replies.length
}

function checkInvariants(reply: Reply, context: ReplyContext): void {
  const fault = findViolation(reply, context)
  if (fault !== undefined) throw new Error(`${fault}: ${JSON.stringify({ reply, context })}`)
}

function findViolation(reply: Reply, context: ReplyContext): string | undefined {
  const { reason, scope, retryAfterMs } = classifyReply(reply, context)
  if (context.stage !== 'rcpt' && (scope === 'mailbox' || scope === 'domain')) return 'about a mailbox before RCPT'
  if (reply.code < 500 && reason === 'mailbox_not_found' && reply.code !== 450 && reply.code !== 451)
    return 'invalid by a temporary code'
  if (retryAfterMs !== null && !(retryAfterMs >= 1_000 && retryAfterMs <= 86_400_000))
    return 'a retry delay out of bounds'

  const key = normalizeReply(reply, context.recipient)
  if (key.includes('@') || key.length > 200) return 'a key with an address, or too long'
  const [line = ''] = reply.lines
  if (/[\p{Cc}\ufffd]/u.test(line) || line.length > 512) return 'a line with unsafe characters'
  return cleanText(line, context.recipient).includes('@') ? 'an address in the cleaned text' : undefined
}

function makeContext(random: Random): ReplyContext {
  return {
    stage: pick(STAGES, random),
    provider: pick(PROVIDERS, random),
    recipient: pick(RECIPIENTS, random),
    identity: IDENTITY,
  }
}

/** A known reply with a few mutations; sometimes random words or one part repeated, which is the worst case for slow patterns. */
function makeReply(random: Random): string {
  const kind = random(40)
  if (kind === 0) return makeRun(random)
  if (kind < 4)
    return `${400 + random(200)} ${Array.from({ length: random(20) }, () => pick(WORDS, random)).join(' ')}\r\n`
  let text = pick(SEEDS, random)
  for (let left = random(4); left > 0; left -= 1) text = mutate(text, random)
  return text
}

function makeRun(random: Random): string {
  const part = `${pick(WORDS, random)}${pick([' ', '', '.', ': '], random)}${random(2) === 0 ? pick(WORDS, random) : ''} `
  const line = part.repeat(Math.ceil(500 / part.length)).slice(0, 500)
  return `550-${line}\r\n550-${line}\r\n550 ${pick(WORDS, random)}\r\n`
}

function mutate(text: string, random: Random): string {
  const at = random(text.length + 1)
  const end = at + random(12)
  switch (random(6)) {
    case 0:
      return text.slice(0, at) + text.slice(end)
    case 1:
      return text.slice(0, at) + pick(ODD, random) + text.slice(at)
    case 2:
      return text.slice(0, at) + String.fromCharCode(random(256)) + text.slice(at + 1)
    case 3:
      return text.slice(0, at) + text.slice(at, end).repeat(random(20)) + text.slice(end)
    case 4:
      return text.slice(0, at) + pick(SEEDS, random).slice(random(30))
    default:
      return text.slice(0, at) + pick(WORDS, random) + text.slice(at)
  }
}

function pick<T>(list: readonly T[], random: Random): T {
  const found = list[random(list.length)]
  if (found === undefined) throw new Error('nothing to pick from')
  return found
}

/** Mulberry32: small, fast, and the same everywhere for the same seed. */
function makeRandom(seed: number): Random {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
