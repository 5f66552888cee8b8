import { expect, test } from 'vitest'
import { createReplyBuffer } from './socket.ts'

const bytes = (text: string) => Buffer.from(text)
const soon = () => performance.now() + 1_000

test('read returns the replies in order, then the first disconnect reason', async () => {
  const inbox = createReplyBuffer()
  inbox.push(bytes('220 one\r\n250 two\r\n'))
  inbox.finish('closed')
  inbox.finish('timeout')
  expect(await inbox.read(soon())).toMatchObject({ code: 220 })
  expect(await inbox.read(soon())).toMatchObject({ code: 250 })
  expect(await inbox.read(soon())).toEqual({ kind: 'disconnect', why: 'closed' })
  expect(await inbox.read(soon())).toEqual({ kind: 'disconnect', why: 'closed' })
})

test('unread replies are discarded when invalid bytes follow in the same chunk', async () => {
  const inbox = createReplyBuffer()
  expect(inbox.push(bytes('250 ok\r\n250 ok\r\nnonsense\r\n'))).toBe(false)
  expect(await inbox.read(soon())).toEqual({ kind: 'disconnect', why: 'garbled' })
})

test('a pending read returns its reply even if invalid bytes follow', async () => {
  const inbox = createReplyBuffer()
  const reply = inbox.read(soon())
  inbox.push(bytes('250 ok\r\nnonsense\r\n'))
  expect(await reply).toMatchObject({ code: 250 })
  expect(await inbox.read(soon())).toEqual({ kind: 'disconnect', why: 'garbled' })
})

test('a timeout ends the session, and later replies are ignored', async () => {
  const inbox = createReplyBuffer()
  expect(await inbox.read(performance.now() + 20)).toEqual({ kind: 'disconnect', why: 'timeout' })
  inbox.push(bytes('250 late\r\n'))
  expect(await inbox.read(soon())).toEqual({ kind: 'disconnect', why: 'timeout' })
})

test('hasUnsolicited ignores a 421 reply and no other', () => {
  const inbox = createReplyBuffer()
  inbox.push(bytes('421 4.4.2 idle for too long\r\n'))
  expect([inbox.hasUnread(), inbox.hasUnsolicited()]).toEqual([true, false])
  inbox.push(bytes('250 and more\r\n'))
  expect(inbox.hasUnsolicited()).toBe(true)
})
