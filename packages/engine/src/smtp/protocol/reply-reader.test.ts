import { expect, test } from 'vitest'
import { createReplyReader, type ReplyLimits } from './reply-reader.ts'

/** Reads a text in chunks of the given size, until the end or a fault. */
function readAll(text: string | Uint8Array, size = 65_536, limits: Partial<ReplyLimits> = {}) {
  const bytes = Buffer.from(text)
  const reader = createReplyReader(limits)
  const replies = []
  for (let at = 0; at < bytes.length; at += size) {
    const read = reader.push(bytes.subarray(at, at + size))
    replies.push(...read.replies)
    if (read.fault !== null) return { replies, fault: read.fault, pending: reader.pending() }
  }
  return { replies, fault: null, pending: reader.pending() }
}

test.each([
  ['250 OK\r\n', { code: 250, enhanced: null, lines: ['OK'] }],
  ['250\r\n', { code: 250, enhanced: null, lines: [''] }],
  ['250 \r\n', { code: 250, enhanced: null, lines: [''] }],
  ['250 OK\n', { code: 250, enhanced: null, lines: ['OK'] }],
  ['250 OK\r\r\n', { code: 250, enhanced: null, lines: ['OK'] }],
  [
    '250-mx.example\r\n250-SIZE 1000\r\n250 HELP\r\n',
    { code: 250, enhanced: null, lines: ['mx.example', 'SIZE 1000', 'HELP'] },
  ],
  ['250-\r\n250\r\n', { code: 250, enhanced: null, lines: ['', ''] }],
  ['550 5.1.1 unknown\r\n', { code: 550, enhanced: '5.1.1', lines: ['unknown'] }],
  ['550 5.1.1\r\n', { code: 550, enhanced: '5.1.1', lines: [''] }],
  ['550 5.1.1: unknown\r\n', { code: 550, enhanced: '5.1.1', lines: ['unknown'] }],
  ['550 #5.1.0 Address rejected.\r\n', { code: 550, enhanced: '5.1.0', lines: ['Address rejected.'] }],
  ['550 Invalid recipient (#5.1.1)\r\n', { code: 550, enhanced: '5.1.1', lines: ['Invalid recipient'] }],
  ['550-5.1.1 a\r\n550 b\r\n', { code: 550, enhanced: '5.1.1', lines: ['a', 'b'] }],
  ['550-a\r\n550 5.7.606 b\r\n', { code: 550, enhanced: '5.7.606', lines: ['a', 'b'] }],
  ['550-5.1.1 a\r\n550 5.7.1 b\r\n', { code: 550, enhanced: '5.7.1', lines: ['a', 'b'] }],
  ['550 4.1.1 other class\r\n', { code: 550, enhanced: null, lines: ['4.1.1 other class'] }],
  ['220 2.0.0.1 ready\r\n', { code: 220, enhanced: null, lines: ['2.0.0.1 ready'] }],
  ['354 5.1.1 go\r\n', { code: 354, enhanced: null, lines: ['5.1.1 go'] }],
  ['550 see http://x.example/#5.1.1\r\n', { code: 550, enhanced: null, lines: ['see http://x.example/#5.1.1'] }],
])('push reads %j', (text, reply) => {
  expect(readAll(text)).toEqual({ replies: [reply], fault: null, pending: 0 })
})

test.each([
  ['199 no\r\n', 'bad_code'],
  ['600 no\r\n', 'bad_code'],
  ['25 no\r\n', 'bad_code'],
  ['2a0 no\r\n', 'bad_code'],
  ['250_no\r\n', 'bad_code'],
  ['250\tno\r\n', 'bad_code'],
  ['2500 no\r\n', 'bad_code'],
  ['\r\n', 'bad_code'],
  ['\n', 'bad_code'],
  ['SSH-2.0-OpenSSH\r\n', 'bad_code'],
  ['250-a\r\n251 b\r\n', 'code_mismatch'],
  [`250 ${'a'.repeat(2_043)}\r\n`, 'line_too_long'],
  [`250 ${'a'.repeat(10_000_000)}`, 'line_too_long'],
  ['250-a\r\n'.repeat(129), 'too_many_lines'],
  [`250-${'a'.repeat(1_000)}\r\n`.repeat(66), 'reply_too_long'],
  [`250 ${'a'.repeat(1_000)}\r\n`.repeat(262), 'session_too_long'],
] as const)('push fails for %.20j with %s, in any chunks, and keeps nothing', (text, fault) => {
  const whole = readAll(text)
  expect(whole).toMatchObject({ fault, pending: 0 })
  for (const size of [1, 7, 1_460]) expect(readAll(text, size)).toEqual(whole)
})

test('push returns the replies before a fault, and none after it', () => {
  const reader = createReplyReader()
  expect(reader.push(Buffer.from('250 a\r\nnonsense\r\n250 b\r\n'))).toEqual({
    replies: [{ code: 250, enhanced: null, lines: ['a'] }],
    fault: 'bad_code',
  })
  expect(reader.push(Buffer.from('250 c\r\n'))).toEqual({ replies: [], fault: 'bad_code' })
})

test('push accepts input up to its limits', () => {
  expect(readAll(`250 ${'a'.repeat(2_042)}\r\n`, 1)).toMatchObject({ fault: null, replies: [{ code: 250 }] })
  expect(readAll('a'.repeat(2_047)).fault).toBe(null)
  expect(readAll('a'.repeat(2_048)).fault).toBe('line_too_long')
  expect(readAll(`${'250-a\r\n'.repeat(127)}250 a\r\n`, 1)).toMatchObject({ fault: null, replies: [{ code: 250 }] })
  const reply = `${'250-1234567\r\n'.repeat(9)}250 1234567\r\n`
  expect(readAll(reply, 1, { replyBytes: 130 }).fault).toBe(null)
  expect(readAll(reply, 1, { replyBytes: 129 }).fault).toBe('reply_too_long')
  expect(readAll(reply, 1, { sessionBytes: 130 }).fault).toBe(null)
  expect(readAll(reply, 1, { sessionBytes: 129 }).fault).toBe('session_too_long')
})

test('push reads many replies at once, the same in any chunks, and pending counts the unfinished one', () => {
  const text = '220 mx\r\n250-mx\r\n250 PIPELINING\n250 2.1.0 ok\r\n550 5.1.1 no\r\n451-wait'
  const whole = readAll(text)
  expect(whole.replies.map(({ code }) => code)).toEqual([220, 250, 250, 550])
  expect(whole.pending).toBe('451-wait'.length)
  for (let size = 1; size < text.length; size += 1) expect(readAll(text, size)).toEqual(whole)
})

test('pending counts the finished lines of an unfinished reply', () => {
  const reader = createReplyReader()
  reader.push(Buffer.from('250-mx\r\n250-SI'))
  expect(reader.pending()).toBe('250-mx\r\n250-SI'.length)
  reader.push(Buffer.from('ZE\r\n250 HELP\r\n'))
  expect(reader.pending()).toBe(0)
})

test('push reads only the given part of a buffer', () => {
  const buffer = new TextEncoder().encode('xx250 ok\r\nyy')
  expect(createReplyReader().push(buffer.subarray(2, 10))).toEqual({
    replies: [{ code: 250, enhanced: null, lines: ['ok'] }],
    fault: null,
  })
})

test.each([
  [Buffer.from('550 bo\u00eete pleine\r\n'), 'boîte pleine'],
  [Buffer.from('550 bo\u00eete pleine\r\n', 'latin1'), 'bo?te pleine'],
  [Buffer.from('550 \x1b[31mred\x1b[0m\x07\r\n'), '?[31mred?[0m?'],
  [Buffer.from('550 a\0b\x7fc\rd\r\n'), 'a?b?c?d'],
  [Buffer.from('550 a\tb\r\n'), 'a b'],
  [Buffer.from('550 a\u202eb\u200bc\u0085d\u2028e\r\n'), 'a?b?c?d?e'],
  [Buffer.from(`550 ${'a'.repeat(600)}\r\n`), 'a'.repeat(512)],
  [Buffer.from(`550 ${'a'.repeat(511)}😀\r\n`), 'a'.repeat(511)],
])('push replaces unsafe characters in %j', (bytes, text) => {
  expect(readAll(bytes).replies[0]?.lines).toEqual([text])
  expect(readAll(bytes, 1).replies[0]?.lines).toEqual([text])
})

test('push keeps 4,096 characters of a long reply, marks it as shortened and reads the enhanced code of its last line', () => {
  const text = `${`550-${'a'.repeat(500)}\r\n`.repeat(127)}550 5.1.1 unknown\r\n`
  const { replies, fault } = readAll(text)
  expect(fault).toBe(null)
  expect(replies).toMatchObject([{ code: 550, enhanced: '5.1.1' }])
  expect(replies[0]?.lines).toEqual([...Array.from({ length: 8 }, () => 'a'.repeat(500)), '[shortened]'])
  expect(readAll(text, 1_460)).toEqual(readAll(text))
})
