import { expect, test } from 'vitest'
import { createReplyBuffer } from './socket.ts'

const bytes = (text: string) => Buffer.from(text)
const soon = () => performance.now() + 1_000

test('replies come in order, and after them the end, once and for good', async () => {
  const inbox = createReplyBuffer()
  inbox.push(bytes('220 one\r\n250 two\r\n'))
  inbox.finish('closed')
  inbox.finish('timeout')
  expect(await inbox.read(soon())).toMatchObject({ code: 220 })
  expect(await inbox.read(soon())).toMatchObject({ code: 250 })
  expect(await inbox.read(soon())).toEqual({ kind: 'disconnect', why: 'closed' })
  expect(await inbox.read(soon())).toEqual({ kind: 'disconnect', why: 'closed' })
})

test('what came together with nonsense and nobody had asked for yet is not believed', async () => {
  const inbox = createReplyBuffer()
  expect(inbox.push(bytes('250 ok\r\n250 ok\r\nnonsense\r\n'))).toBe(false)
  expect(await inbox.read(soon())).toEqual({ kind: 'disconnect', why: 'garbled' })
})

test('a reply that somebody waited for counts, though nonsense follows at once', async () => {
  const inbox = createReplyBuffer()
  const reply = inbox.read(soon())
  inbox.push(bytes('250 ok\r\nnonsense\r\n'))
  expect(await reply).toMatchObject({ code: 250 })
  expect(await inbox.read(soon())).toEqual({ kind: 'disconnect', why: 'garbled' })
})

test('time that is up ends it, and what comes later is not heard', async () => {
  const inbox = createReplyBuffer()
  expect(await inbox.read(performance.now() + 20)).toEqual({ kind: 'disconnect', why: 'timeout' })
  inbox.push(bytes('250 late\r\n'))
  expect(await inbox.read(soon())).toEqual({ kind: 'disconnect', why: 'timeout' })
})

test('only a server that takes its leave may speak without being asked', () => {
  const inbox = createReplyBuffer()
  inbox.push(bytes('421 4.4.2 idle for too long\r\n'))
  expect([inbox.hasUnread(), inbox.hasUnsolicited()]).toEqual([true, false])
  inbox.push(bytes('250 and more\r\n'))
  expect(inbox.hasUnsolicited()).toBe(true)
})
