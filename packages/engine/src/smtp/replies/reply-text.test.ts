import { expect, test } from 'vitest'
import { cleanText, normalizeReply } from './reply-text.ts'

function reply(text: string, enhanced: string | null = null) {
  return { code: 550, enhanced, lines: text.split('\n') }
}

test.each([
  ['No Such  User\n here', '550 - no such user here'],
  ['<ada@example.com>: User unknown', '550 - <address>: user unknown'],
  ['Client host [203.0.113.7] blocked using zen.spamhaus.org;', '550 - client host [<ip>] blocked using <host>;'],
  ['from 2001:db8::7, sorry', '550 - from <ip>, sorry'],
  ['see https://example.com/q?ip=203.0.113.7 now', '550 - see <url> now'],
  ['queued as 4TzK2x5ThGz9sYq at 12:30:11', '550 - queued as <id> at <id>'],
  ['3 of 500 (S3150) [TSS04] IB112', '550 - <n> of <n> (s3150) [tss04] ib112'],
  ['a1b2c3d4e5f6 - gsmtp', '550 - <id> - gsmtp'],
  ['"ada lovelace"@example.com is unknown', '550 - <address> is unknown'],
  ['ada@[203.0.113.7] is unknown', '550 - <address>[<ip>] is unknown'],
  ['to=ada@example.com', '550 - <address>'],
])('normalizeReply of %j is %j', (text, expected) => {
  expect(normalizeReply(reply(text))).toBe(expected)
})

test('normalizeReply returns the same text for two rejections of the same kind', () => {
  const first = reply('<ada@example.com>: no mailbox for ada here, id 4TzK2x5ThG from [203.0.113.7]', '5.1.1')
  const second = reply('<eve.x@example.net>: no mailbox for eve.x here, id 7QaB1cXy99 from [203.0.113.200]', '5.1.1')
  expect(normalizeReply(first, 'ada@example.com')).toBe(normalizeReply(second, 'eve.x@example.net'))
  expect(normalizeReply(first, 'ada@example.com')).toContain('550 5.1.1 ')
})

test('normalizeReply limits its length to 200 characters', () => {
  expect(normalizeReply(reply('word '.repeat(10_000))).length).toBeLessThanOrEqual(200)
})

test.each([
  ['<Ada@Example.com>: unknown', 'ada@example.com', '<address>: unknown'],
  ['user ADA is unknown', 'ada@example.com', 'user <address> is unknown'],
  ['Canada has no ada, adam or x-ada', 'ada@example.com', 'Canada has no <address>, adam or x-<address>'],
  ['ada+x and ada are unknown', 'ada+x@example.com', '<address> and <address> are unknown'],
  ['ab is unknown', 'ab@example.com', 'ab is unknown'],
  ['mail for bob@example.net goes to eve@example.org', '', 'mail for <address> goes to <address>'],
  ["to: o'brien+x@example.com, done", '', 'to: <address>, done'],
  ['(иван@пример.example:blocked)', 'иван@пример.example', '(<address>:blocked)'],
  ['no "ada lovelace"@example.com', '"ada lovelace"@example.com', 'no <address>'],
  ['no ada lovelace here', '"ada lovelace"@example.com', 'no <address> here'],
  ['İ wait for ada', 'ada@example.com', 'i̇ wait for <address>'],
  ['no address at all', '', 'no address at all'],
])('cleanText of %j for the recipient %s is %j', (text, recipient, shown) => {
  expect(cleanText(text, recipient)).toBe(shown)
})
