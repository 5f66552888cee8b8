import type { Script } from '@probity/lab/smtp/server'
import { expect, test } from 'vitest'
import { startMail } from './test-mail.ts'

const NO_SUCH_USER = '550 5.1.1 User unknown'
const BY_NAME: Script = { rcpt: (_peer, to) => (to.startsWith('real') ? '250 Ok' : NO_SUCH_USER) }
const ACCEPTS_ALL: Script = { rcpt: () => '250 2.1.5 Ok, queued' }

function names(prefix: string, count: number, domain: string): string[] {
  return Array.from({ length: count }, (_, n) => `${prefix}${n}@${domain}`)
}

type Mail = Awaited<ReturnType<typeof startMail>>

async function verdicts(mail: Mail, emails: string[]): Promise<string[]> {
  return (await mail.validateAll(emails)).map(({ verdict }) => `${verdict.status} ${verdict.subStatus}`.trimEnd())
}

function isControl(recipient: string): boolean {
  return !/^(real|gone)/.test(recipient)
}

test('F1 a recipient that is refused as a relay does not decide the others', async () => {
  const odd: Script = {
    rcpt: (_p, to) => (to.startsWith('hidden') ? `554 5.7.1 <${to}>: Relay access denied` : '250 2.1.5 Ok'),
  }
  const mail = await startMail({ domains: { 'f1.example': [odd, odd] } })
  const locals = ['real0', 'real1', 'real2', 'hidden', ...Array.from({ length: 16 }, (_, n) => `real${n + 3}`)]
  const found = await mail.validateAll(locals.map((local) => `${local}@f1.example`))
  expect(found.filter(({ email, verdict }) => email.startsWith('real') && verdict.status === 'invalid')).toEqual([])
})

test('F2 an acceptance by a backup host is no proof', { timeout: 30_000 }, async () => {
  const primary: Script = { rcpt: (_p, to) => (to.startsWith('real') ? '250 Ok' : '550 5.1.1 User unknown') }
  const mail = await startMail({ domains: { 'f2.example': [primary, { rcpt: () => '250 2.1.5 Ok, queued' }] } })
  await mail.validateAll(['gone0@f2.example', 'real0@f2.example'])
  await mail.servers['f2.example']?.[0]?.stop() // an outage, or a ban
  await new Promise((resolve) => setTimeout(resolve, 3_000)) // idle connections are closed
  const [later] = await mail.validateAll(['gone1@f2.example'])
  expect(later?.verdict.status).not.toBe('valid')
})

test.each(['550 Blocked', '550 Rejected', '554 Host network not allowed', '550 5.7.1 Message rejected by policy'])(
  'F3 %s to the control is no proof',
  async (text) => {
    const asked: string[] = []
    const bans: Script = { rcpt: (_peer, to) => (asked.push(to) > 12 ? text : '250 Ok') }
    const mail = await startMail({ domains: { 'f3.example': [bans] } })
    const found = await mail.validateAll(Array.from({ length: 12 }, (_, n) => `made-up${n}@f3.example`))
    expect(found.filter(({ verdict }) => verdict.status === 'valid').length).toBe(0)
  },
)

test('F4 a greeting after 20 s is awaited', { timeout: 60_000, tags: ['long'] }, async () => {
  const slow: Script = { banner: () => ({ reply: '220 mail ESMTP Exim', afterMs: 20_000 }) }
  const mail = await startMail({ domains: { 'f4.example': [slow] } })
  const [found] = await mail.validateAll(['real@f4.example'], 40_000)
  expect(found?.verdict.subStatus).not.toBe('timeout')
})

test('a greeting is awaited for longer than the reply to a command', async () => {
  const slow: Script = { ...BY_NAME, banner: () => ({ reply: '220 mail ESMTP Exim', afterMs: 1_500 }) }
  const mail = await startMail({ domains: { 'slow.example': [slow] }, timeouts: { commandMs: 1_000 } })
  expect(await verdicts(mail, ['real@slow.example'])).toEqual(['valid'])
})

test('F5 a first contact through a backup host that accepts everything does not make the domain a catch-all', async () => {
  let isUp = false
  const primary: Script = { ...BY_NAME, banner: () => (isUp ? '220 mx1' : '421 4.3.2 Service shutting down') }
  const mail = await startMail({ domains: { 'f5.example': [primary, ACCEPTS_ALL] } })
  const emails = ['real0@f5.example', 'gone0@f5.example']
  expect((await verdicts(mail, emails)).every((verdict) => verdict.startsWith('unknown'))).toBe(true)
  isUp = true
  expect(await verdicts(mail, emails)).toEqual(['valid', 'invalid mailbox_not_found'])
})

test('F9 the text of a ban that rejected a control recipient does not make later addresses invalid', async () => {
  let recipients = 0
  const bans: Script = {
    rcpt: (_peer, to) => {
      recipients += 1
      if (recipients > 6) return '550 Rejected'
      return to.startsWith('real') ? '250 Ok' : NO_SUCH_USER
    },
  }
  const mail = await startMail({ domains: { 'f9.example': [bans] } })
  await mail.validateAll(names('real', 6, 'f9.example'))
  const later = await verdicts(mail, names('real-later', 5, 'f9.example'))
  expect(later.every((verdict) => verdict.startsWith('unknown'))).toBe(true)
})

test('F10 a rejected name does not hide a catch-all', async () => {
  const left: Script = { rcpt: (_peer, to) => (to.startsWith('gone') ? '550 No such user here' : '250 Ok') }
  const mail = await startMail({ domains: { 'f10.example': [left] } })
  const emails = [...names('gone', 1, 'f10.example'), ...names('made-up', 3, 'f10.example')]
  expect(await verdicts(mail, emails)).toEqual(['invalid mailbox_not_found', ...Array(3).fill('risky catch_all')])
})

test('F11 a busy mailbox is not valid at a host that accepts every recipient', async () => {
  const busy: Script = {
    rcpt: (_peer, to) =>
      to.startsWith('real')
        ? '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents'
        : '250 Ok',
  }
  const mail = await startMail({
    domains: {
      'all.example': [busy],
      'f11.example': [{ rcpt: (peer, to) => (to.startsWith('real') ? (busy.rcpt?.(peer, to) ?? '') : NO_SUCH_USER) }],
    },
  })
  expect(await verdicts(mail, ['real@all.example', 'real@f11.example'])).toEqual(['risky catch_all', 'valid'])
})

/** A domain whose two hosts have the same preference. */
async function startPeers(scripts: [Script, Script]): Promise<Mail> {
  const mx: [number, string][] = [
    [10, 'mx1.hosts.example'],
    [10, 'mx2.hosts.example'],
  ]
  return startMail({ domains: { 'hosts.example': scripts }, names: { 'peers.example': { mx } } })
}

test.each([
  ['accepts', [ACCEPTS_ALL, BY_NAME]],
  ['accepts', [BY_NAME, ACCEPTS_ALL]],
  ['rejects', [{ rcpt: () => NO_SUCH_USER }, BY_NAME]],
  ['rejects', [BY_NAME, { rcpt: () => NO_SUCH_USER }]],
] as [string, [Script, Script]][])(
  'of two equal hosts of which one %s every recipient, the other one decides',
  async (_what, scripts) => {
    const mail = await startPeers(scripts)
    const emails = ['real0@peers.example', 'gone0@peers.example', 'real1@peers.example']
    const expected = ['valid', 'invalid mailbox_not_found', 'valid']
    expect(await verdicts(mail, emails)).toEqual(expected)
    expect(await verdicts(mail, emails)).toEqual(expected)
  },
)

test('two equal hosts that accept every recipient are a catch-all', async () => {
  const mail = await startPeers([ACCEPTS_ALL, ACCEPTS_ALL])
  expect(await verdicts(mail, ['real0@peers.example', 'real1@peers.example'])).toEqual(Array(2).fill('risky catch_all'))
})

test('a missing address of a domain with two equal hosts is invalid when both reject it', async () => {
  const mail = await startPeers([BY_NAME, BY_NAME])
  expect(await verdicts(mail, ['gone0@peers.example'])).toEqual(['invalid mailbox_not_found'])
})

test('a backup host that rejects every recipient makes no address invalid', async () => {
  const closed: Script = { banner: () => '421 4.3.2 Service shutting down' }
  const mail = await startMail({ domains: { 'empty.example': [closed, { rcpt: () => NO_SUCH_USER }] } })
  const found = await mail.validateAll(names('real', 3, 'empty.example'))
  expect(found.map(({ verdict, retry }) => [verdict.status, verdict.subStatus, retry?.kind])).toEqual(
    Array(3).fill(['unknown', 'connection_failed', 'deferred']),
  )
})

test('a backup host gets the control recipient first, and no other recipient if it accepts it', async () => {
  const closed: Script = { banner: () => '421 4.3.2 Service shutting down' }
  const mail = await startMail({
    domains: { 'first.example': [closed, ACCEPTS_ALL], 'true.example': [closed, BY_NAME] },
  })
  await mail.validateAll([...names('real', 3, 'first.example'), ...names('real', 3, 'true.example')])
  const [first, second] = ['first.example', 'true.example'].map((domain) => mail.servers[domain]?.[1]?.recipients ?? [])
  expect(first?.map(isControl)).toEqual([true])
  expect(second?.map(isControl)).toEqual([true, false, false, false])
})
