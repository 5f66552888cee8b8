import { PassThrough } from 'node:stream'
import type { Script } from '@probity/lab/smtp/server'
import { expect, test } from 'vitest'
import { startMail } from '../probe/test-mail.ts'
import { type Command, isEncodable, writeCommands } from './commands.ts'

/** The text that the server receives, or the error that prevented it. */
function sent(commands: Command[], utf8Offered = false): string {
  const stream = new PassThrough()
  try {
    writeCommands(stream, commands, utf8Offered)
  } catch (error) {
    return `refused: ${(error as Error).message}`
  }
  return stream.read()?.toString() ?? ''
}

const rcpt = (recipient: string): Command => ({ verb: 'RCPT', recipient })

test('each command is one line', () => {
  const commands: Command[] = [
    { verb: 'EHLO', name: 'probe.example' },
    { verb: 'MAIL', sender: 'bounce@probe.example', utf8: false },
    rcpt('ada@example.com'),
    { verb: 'RSET' },
    { verb: 'QUIT' },
  ]
  expect(sent(commands)).toBe(
    'EHLO probe.example\r\nMAIL FROM:<bounce@probe.example>\r\nRCPT TO:<ada@example.com>\r\nRSET\r\nQUIT\r\n',
  )
})

test.each([
  'a\r\nDATA\r\n@x.example',
  'a\nRCPT TO:<victim@y.example>@x.example',
  'a\r@x.example',
  'a\0@x.example',
  '"a\u0085b"@x.example',
  '"a\u2028b"@x.example',
  '"a\u2029b"@x.example',
  'a\u001b[2J@x.example',
  'a@x.example> SIZE=9 <b@y.example',
  '"a> NOTIFY=NEVER <b"@x.example',
  'half\ud83d@x.example',
  `${'a'.repeat(600)}@x.example`,
])('writeCommands rejects %j', (address) => {
  expect(sent([rcpt(address)], true)).toMatch(/^refused/)
  expect(sent([{ verb: 'MAIL', sender: address, utf8: true }], true)).toMatch(/^refused/)
})

test.each(['EHLO', 'HELO'] as const)('a name cannot inject a second command into %s', (verb) => {
  expect(sent([{ verb, name: 'x.example\r\nDATA' }], true)).toBe(`refused: unencodable ${verb}`)
})

test('writeCommands sends non-ASCII characters only if the server offers SMTPUTF8', () => {
  expect(sent([rcpt('bücher@x.example')])).toBe('refused: unencodable RCPT')
  expect(sent([rcpt('bücher@x.example')], true)).toBe('RCPT TO:<bücher@x.example>\r\n')
})

/** Texts of characters that have broken other programs, in a fixed order. */
function* hostileTexts(count: number): Generator<string> {
  const pieces = [
    'a',
    '.',
    '@',
    '"',
    '\\',
    '\r\n',
    '\n',
    '\r',
    '\0',
    '<',
    '>',
    ' ',
    'DATA',
    'RCPT TO:',
    'ü',
    '\u2028',
    '\u0085',
    'x.example',
    '\ud83d',
    '🙂',
  ]
  let state = 7
  for (let n = 0; n < count; n += 1) {
    let text = ''
    for (let length = 0; length < 12; length += 1) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      text += pieces[(state >>> 8) % pieces.length]
    }
    yield text
  }
}

test('writeCommands writes every encodable text as one line with one pair of brackets and rejects all others', () => {
  let said = 0
  for (const text of hostileTexts(200_000)) {
    const line = sent([rcpt(text)], true)
    if (!isEncodable(text)) {
      expect(line).toMatch(/^refused/)
      continue
    }
    said += 1
    expect(line).toBe(`RCPT TO:<${text}>\r\n`)
    expect(line.slice(0, -2)).not.toMatch(/[\r\n\0\u0085\u2028\u2029]|<.*[<>].*>/)
  }
  expect(said).toBeGreaterThan(100)
})

test('no submitted text makes a mail server receive more than its own recipient', async () => {
  const script: Script = { capabilities: ['PIPELINING', 'SMTPUTF8'], rcpt: () => '550 5.1.1 User unknown' }
  const mail = await startMail({ domains: { 'x.example': [script] } })
  const texts = [...hostileTexts(3_000)].map((text) => `${text}@x.example`)
  const parsed = await mail.validateAll(texts)
  const addresses = parsed.filter(({ address }) => address.kind === 'address')
  const { recipients, groups } = mail.servers['x.example']?.[0] ?? { recipients: [], groups: [] }
  expect(recipients.length).toBeLessThanOrEqual(addresses.length)
  const verbs = new Set(groups.flat())
  expect([...verbs].filter((verb) => !['EHLO', 'MAIL', 'RCPT', 'RSET', 'QUIT'].includes(verb))).toEqual([])
})
