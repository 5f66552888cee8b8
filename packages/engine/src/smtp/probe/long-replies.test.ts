import { expect, test } from 'vitest'
import { present } from '../../verdict/present.ts'
import { startMail } from './test-mail.ts'

/** A reply of almost 64 KiB, which is as much as a server may send. */
function longReply(code: number, first: string): string {
  const rest = Array.from({ length: 126 }, () => `${code}-${'Ж'.repeat(250)}`)
  return [`${code}-${first}`, ...rest, `${code} end`].join('\n')
}

test('evidence of servers with 64 KiB replies has at most 4 KiB per result, and the replies are still classified', async () => {
  const mail = await startMail({
    domains: {
      'long.example': [
        {
          banner: () => longReply(220, 'mx.long.example ESMTP'),
          rcpt: (_peer, to) => (to.startsWith('ada') ? longReply(250, 'Ok') : longReply(550, '5.1.1 User unknown')),
        },
      ],
    },
  })
  const [ada, bob] = (await mail.validateAll(['ada@long.example', 'bob@long.example'])).map(present)
  expect([ada?.status, bob?.sub_status]).toEqual(['valid', 'mailbox_not_found'])
  for (const result of [ada, bob]) {
    expect(Buffer.byteLength(JSON.stringify(result?.evidence))).toBeLessThanOrEqual(4_096)
    const recipient = result?.evidence.find(({ check }) => check === 'recipient')
    expect(recipient?.detail).toContain('Greeting: “220 mx.long.example ESMTP Ж')
    expect(recipient?.detail).toContain('[shortened]')
  }
})

test('evidence of one reply has at most 500 characters of its text', async () => {
  const mail = await startMail({
    domains: { 'wordy.example': [{ rcpt: () => `550 5.1.1 ${'No such user. '.repeat(40)}` }] },
  })
  const [result] = (await mail.validateAll(['ada@wordy.example'])).map(present)
  const detail = result?.evidence.find(({ check }) => check === 'recipient')?.detail ?? ''
  const [, quoted = ''] = /RCPT TO: “550 5\.1\.1 (.*)”/.exec(detail) ?? []
  expect(quoted.length).toBeLessThanOrEqual(500)
  expect(quoted).toMatch(/^No such user\. .* \[shortened\]$/)
})
