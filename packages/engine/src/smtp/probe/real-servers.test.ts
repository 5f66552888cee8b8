import { startDns } from '@probity/lab/dns/start'
import { startMailServers } from '@probity/lab/mail/start'
import { freePort } from '@probity/lab/services/daemon'
import { afterAll, expect, test, vi } from 'vitest'
import { openProber } from './test-mail.ts'

const mailServers = await startMailServers({ port: await freePort() })
afterAll(() => mailServers.stop())
const dns = await startDns({ names: mailServers.names, faults: {} })
afterAll(() => dns.stop())

function open() {
  const prober = openProber({ dnsPort: dns.port, port: mailServers.port })
  const subStatuses = async (emails: string[]) =>
    (await prober.validateAll(emails)).map(({ verdict }) => verdict.subStatus)
  return { ...prober, subStatuses }
}

test.each<[string, string]>([
  ['ada@postfix.example', ''],
  ['jürgen@postfix.example', ''],
  ['nobody-here@postfix.example', 'mailbox_not_found'],
  ['full@postfix.example', 'mailbox_full'],
  ['disabled@postfix.example', 'mailbox_disabled'],
  ['moved@postfix.example', 'mailbox_moved'],
  ['ada@not-hosted-either.example', 'domain_not_hosted'],
  ['nobody-here@postfix-catch-all.example', 'catch_all'],
  ['ada@postfix-greylisting.example', 'greylisted'],
  ['ada@postfix-verifying.example', 'greylisted'],
  ['ada@postfix-blocking.example', 'blocked'],
  ['ada@postfix-starttls.example', ''],
  ['ada@postfix-tls-only.example', ''],
  ['ada@postfix-ascii.example', ''],
  ['jürgen@postfix-ascii.example', 'smtputf8_unsupported'],
  ['ada@exim.example', ''],
  ['nobody-here@exim.example', 'mailbox_not_found'],
  ['trouble@exim.example', 'server_error'],
  ['ada@exim-strict.example', ''],
  ['nobody-here@exim-strict.example', 'mailbox_not_found'],
  ['ada@opensmtpd.example', ''],
  ['nobody-here@opensmtpd.example', 'mailbox_not_found'],
  ['nobody-here@opensmtpd-catch-all.example', 'catch_all'],
])('%s', async (email, expected) => {
  expect(await open().subStatuses([email])).toEqual([expected])
})

test('addresses that need SMTPUTF8 and others of the same domain are sent in separate transactions', async () => {
  const emails = ['ada@postfix.example', 'jürgen@postfix.example', 'bob@postfix.example', 'nöbody@postfix.example']
  expect(await open().subStatuses(emails)).toEqual(['', '', '', 'mailbox_not_found'])
})

test('Postfix never counts ten errors on a connection, and a hundred addresses get correct results', async () => {
  const { subStatuses } = open()
  const emails = Array.from({ length: 100 }, (_, n) =>
    n % 3 === 0 ? `stranger${n}@postfix.example` : 'ada@postfix.example',
  )
  const before = mailServers.servers.postfix.connections()
  expect(await subStatuses(emails)).toEqual(emails.map((email) => (email.startsWith('ada') ? '' : 'mailbox_not_found')))
  expect(mailServers.servers.postfix.connections() - before).toBeLessThanOrEqual(6) // 34 errors, at most nine on each
})

test('an Exim that disconnects at the fourth unknown recipient is provoked once at most', async () => {
  const { subStatuses } = open()
  const emails = Array.from({ length: 24 }, (_, n) =>
    n % 2 === 0 ? `stranger${n}@exim-strict.example` : 'ada@exim-strict.example',
  )
  expect(await subStatuses(emails)).toEqual(emails.map((email) => (email.startsWith('ada') ? '' : 'mailbox_not_found')))
})

test('recipients that postgrey deferred get a final reply at a retry, unknown recipients too', async () => {
  const { subStatuses } = open()
  const emails = ['ada@postfix-greylisting.example', 'nobody-here@postfix-greylisting.example']
  await subStatuses(emails)
  await vi.waitFor(async () => expect(await subStatuses(emails)).toEqual(['', 'mailbox_not_found']), {
    timeout: 15_000,
    interval: 1_000,
  })
})

test('an address that Postfix verifies with another server gets a final reply seconds later', async () => {
  const { subStatuses } = open()
  const emails = ['ada@postfix-verifying.example', 'nobody-here@postfix-verifying.example']
  await vi.waitFor(async () => expect(await subStatuses(emails)).toEqual(['', 'mailbox_not_found']), {
    timeout: 18_000,
    interval: 1_500,
  })
})
