import type { Script } from '@probity/lab/smtp/server'
import { expect, test } from 'vitest'
import { PROVIDER_LIMITS } from '../providers/data/limits.ts'
import type { ProviderLimits } from '../providers/limits.ts'
import { startMail } from './test-mail.ts'

type Mail = Awaited<ReturnType<typeof startMail>>

const NO_SUCH_USER = '550 5.1.1 User unknown'
const POSTFIX = '220 mx.example ESMTP Postfix'

/** A server that accepts recipients whose names begin with "known". */
function truthful(more: Script = {}): Script {
  return { rcpt: (_peer, recipient) => (recipient.startsWith('known') ? '250 2.1.5 Ok' : NO_SUCH_USER), ...more }
}

/** Existing addresses with missing ones distributed evenly among them. */
function addresses(domain: string, known: number, absent = 0): string[] {
  const all = Array.from({ length: known + absent }, (_, n) => n)
  const every = absent === 0 ? Number.POSITIVE_INFINITY : (known + absent) / absent
  return all.map((n) => `${Math.floor((n + 1) / every) > Math.floor(n / every) ? 'absent' : 'known'}${n}@${domain}`)
}

async function subStatuses(mail: Mail, emails: string[], withinMs?: number): Promise<string[]> {
  return (await mail.validateAll(emails, withinMs)).map(({ verdict }) => verdict.subStatus)
}

function truths(emails: string[]): string[] {
  return emails.map((email) => (email.startsWith('known') ? '' : 'mailbox_not_found'))
}

function server(mail: Mail, domain: string, n = 0) {
  const found = mail.servers[domain]?.[n]
  if (found === undefined) throw new Error(`no server ${n} for ${domain}`)
  return found
}

function controlsOf(recipients: string[]): string[] {
  return recipients.filter((recipient) => !/^(known|absent)/.test(recipient))
}

test('a hundred addresses of a domain take one connection and one control recipient, which follows the first acceptance', async () => {
  const mail = await startMail({ domains: { 'a.example': [truthful()] } })
  const emails = addresses('a.example', 100)
  expect(await subStatuses(mail, emails)).toEqual(truths(emails))
  const { recipients, connections } = server(mail, 'a.example')
  expect([connections(), recipients.length]).toEqual([1, 101])
  expect(controlsOf(recipients)).toEqual([recipients[1]])
})

test('no control recipient is sent when every recipient was rejected', async () => {
  const mail = await startMail({ domains: { 'a.example': [truthful()] } })
  const emails = addresses('a.example', 0, 3)
  expect(await subStatuses(mail, emails)).toEqual(truths(emails))
  expect(controlsOf(server(mail, 'a.example').recipients)).toEqual([])
})

test('a domain that accepts every recipient is a catch-all, and later addresses are not probed', async () => {
  const mail = await startMail({ domains: { 'all.example': [{}] } })
  const found = await mail.validateAll(addresses('all.example', 3))
  expect(found.map(({ verdict }) => `${verdict.status} ${verdict.subStatus}`)).toEqual(Array(3).fill('risky catch_all'))
  expect(found[0]?.mailbox).toMatchObject({ acceptAll: 'yes', acceptAllSource: 'live', finding: { kind: 'accepted' } })

  const [later] = await mail.validateAll(['other@all.example'])
  expect(later?.mailbox).toMatchObject({
    acceptAll: 'yes',
    acceptAllSource: 'cache',
    finding: { why: 'known_catch_all' },
  })
  expect(server(mail, 'all.example').recipients.length).toBe(4)
})

test('a cached catch-all result replaces the control recipient', async () => {
  const mail = await startMail({ domains: { 'a.example': [truthful()] } })
  await mail.validateAll(['known1@a.example'])
  expect(await subStatuses(mail, ['known2@a.example'])).toEqual([''])
  expect(controlsOf(server(mail, 'a.example').recipients).length).toBe(1)
})

test.each([
  ['unknown', undefined, 4],
  ['Postfix', POSTFIX, 9],
])(
  'a server of family %s never rejects more recipients on a connection than it tolerates',
  async (_kind, banner, errorsMax) => {
    const script = truthful({ errorsMax, ...(banner && { banner: () => banner }) })
    const mail = await startMail({ domains: { 'bad.example': [script] } })
    const emails = addresses('bad.example', 40, 60)
    expect(await subStatuses(mail, emails)).toEqual(truths(emails))
    // The recorder in the test suites checks the server's own count against errorsMax. This checks that no more connections are used than
    // needed.
    expect(server(mail, 'bad.example').connections()).toBeLessThanOrEqual(Math.ceil(60 / (errorsMax - 1)) + 2)
  },
)

test('a connection is reused for all batches of a domain', async () => {
  const mail = await startMail({ domains: { 'big.example': [truthful({ banner: () => POSTFIX })] } })
  for (const part of [0, 1, 2]) {
    const emails = addresses('big.example', 60).map((email) => email.replace('known', `known-${part}-`))
    expect(await subStatuses(mail, emails)).toEqual(truths(emails))
  }
  expect(server(mail, 'big.example').connections()).toBe(1)
})

test('a new connection sends one recipient first, then three, then as many as may still be rejected', async () => {
  const mail = await startMail({ domains: { 'ramp.example': [truthful({ banner: () => POSTFIX })] } })
  await mail.validateAll(addresses('ramp.example', 40))
  expect(server(mail, 'ramp.example').groups.map((group) => group.filter((verb) => verb === 'RCPT').length)).toEqual([
    0, 1, 3, 8, 8, 8, 8, 5,
  ])
})

test('a server that does not offer pipelining gets one command at a time', async () => {
  const mail = await startMail({ domains: { 'slow.example': [truthful({ capabilities: ['8BITMIME'] })] } })
  const emails = addresses('slow.example', 9, 3)
  expect(await subStatuses(mail, emails)).toEqual(truths(emails))
  expect(server(mail, 'slow.example').groups.every((group) => group.length === 1)).toBe(true)
})

test.each([500, 501, 502, 504, 550])(
  'a server that rejects EHLO with %d receives HELO and commands without extensions',
  async (code) => {
    const mail = await startMail({ domains: { 'old.example': [truthful({ ehlo: () => `${code} Not implemented` })] } })
    const emails = addresses('old.example', 2, 2)
    expect(await subStatuses(mail, emails)).toEqual(truths(emails))
    expect(server(mail, 'old.example').groups.every((group) => group.length === 1)).toBe(true)
  },
)

test.each([
  ['closes the connection', { banner: () => 'hang_up' as const }],
  ['is busy', { banner: () => '421 4.3.2 Service shutting down' }],
  ['rejects MAIL temporarily', { mail: () => '451 4.3.0 Temporary failure' }],
  ['closes the connection after RCPT', { rcpt: () => 'hang_up' as const }],
])('the next mail host is used when the first one %s', async (_name, first) => {
  const mail = await startMail({ domains: { 'two.example': [first, truthful()] } })
  const emails = addresses('two.example', 2, 2)
  expect(await subStatuses(mail, emails)).toEqual(truths(emails))
})

test('a server that accepts one recipient per transaction gets many transactions, and the limit is stored', async () => {
  let most = 0
  const script = truthful({
    rcpt(peer, recipient) {
      most = Math.max(most, peer.recipients.length)
      if (peer.recipients.length === 1) return '452 4.5.3 Too many recipients'
      return recipient.startsWith('known') ? '250 Ok' : NO_SUCH_USER
    },
    banner: () => POSTFIX,
  })
  const mail = await startMail({ domains: { 'one.example': [script] } })
  const emails = addresses('one.example', 18, 2)
  expect(await subStatuses(mail, emails)).toEqual(truths(emails))
  most = 0
  const more = emails.map((email) => email.replace('known', 'known-again-'))
  expect(await subStatuses(mail, more)).toEqual(truths(more))
  expect(most).toBe(0)
})

test('probes of a server that disconnects after each error continue on new connections, with correct results', async () => {
  const script = truthful({
    rcpt: (_peer, to) => (to.startsWith('known') ? '250 Ok' : { reply: NO_SUCH_USER, thenClose: true }),
  })
  const mail = await startMail({ domains: { 'touchy.example': [script] } })
  const emails = addresses('touchy.example', 24, 6)
  expect(await subStatuses(mail, emails)).toEqual(truths(emails))
  const { connections, groups } = server(mail, 'touchy.example')
  expect(connections()).toBeLessThanOrEqual(7)
  // It is provoked once with several recipients in flight. After that each recipient is sent alone.
  expect(groups.flat().filter((verb) => verb === 'RCPT').length).toBeLessThanOrEqual(30 + 3)
})

test('recipients in flight at a 421 reply are sent again', async () => {
  const script = truthful({
    rcpt(peer, to) {
      if (peer.asked === 7) return { reply: '421 4.4.2 mx.example Error: timeout exceeded', thenClose: true }
      return to.startsWith('known') ? '250 Ok' : NO_SUCH_USER
    },
  })
  const mail = await startMail({ domains: { 'cut.example': [script] } })
  const emails = addresses('cut.example', 20)
  expect(await subStatuses(mail, emails)).toEqual(truths(emails))
})

test('an idle connection to another host of the provider is closed when a connection is needed', {
  tags: ['timed'],
}, async () => {
  const limits = { ...PROVIDER_LIMITS, '': { ...PROVIDER_LIMITS[''], connectionsPerMinute: 6_000 } }
  const shared = {
    ...PROVIDER_LIMITS['google'],
    connectionsPerEgress: 1,
    connectionsPerMinute: 6_000,
    tls: 'never',
  } as ProviderLimits
  const mail = await startMail({
    domains: { 'a.example': [truthful()], 'b.example': [truthful()] },
    providerLimits: { ...limits, google: shared },
    timeouts: { idleMs: 10_000 },
    hostNames: { 'a.example': 'a-mx.google.com', 'b.example': 'b-mx.google.com' },
  })
  const began = performance.now()
  expect(await subStatuses(mail, ['known@a.example'])).toEqual([''])
  expect(await subStatuses(mail, ['known@b.example'])).toEqual([''])
  expect(performance.now() - began).toBeLessThan(3_000)
})

test('limits that the server declares are observed', async () => {
  const seen = { recipients: 0, transactions: 0 }
  const script = truthful({
    capabilities: ['PIPELINING', 'LIMITS RCPTMAX=2 MAILMAX=3'],
    mail(peer) {
      peer.state['transactions'] = Number(peer.state['transactions'] ?? 0) + 1
      seen.transactions = Math.max(seen.transactions, Number(peer.state['transactions']))
      return '250 Ok'
    },
    rcpt(peer, to) {
      seen.recipients = Math.max(seen.recipients, peer.recipients.length + 1)
      return to.startsWith('known') ? '250 Ok' : NO_SUCH_USER
    },
  })
  const mail = await startMail({ domains: { 'limits.example': [script] } })
  const emails = addresses('limits.example', 20)
  expect(await subStatuses(mail, emails)).toEqual(truths(emails))
  expect(seen).toEqual({ recipients: 2, transactions: 3 })
})

test('greylisted recipients are retried after the delay that the server names, or the default one', async () => {
  const seen = new Set<string>()
  const script: Script = {
    rcpt(_peer, to) {
      if (!to.startsWith('known')) return NO_SUCH_USER
      if (seen.has(to)) return '250 Ok'
      seen.add(to)
      return to.includes('timed') ? '450 4.2.0 Greylisted, try again in 120 seconds' : '451 4.7.1 Greylisting in action'
    },
  }
  const mail = await startMail({ domains: { 'grey.example': [script] } })
  const emails = ['known-timed@grey.example', 'known-plain@grey.example']
  const first = await mail.validateAll(emails)
  expect(first.map(({ verdict }) => verdict.subStatus)).toEqual(['greylisted', 'greylisted'])
  expect(first[0]?.retry?.afterMs).toBeGreaterThanOrEqual(120_000)
  expect(first[1]?.retry?.afterMs).toBe(60_000)
  expect(await subStatuses(mail, emails)).toEqual(['', ''])
})

test('a reply that blocks us has no verdict on the mailbox and suspends the server', async () => {
  const mail = await startMail({
    domains: {
      'banner.example': [{ banner: () => '554 5.7.1 Your address is listed at a DNSBL' }],
      'mail.example': [{ mail: () => '550 5.7.1 Sender address rejected: blocked by our block list' }],
      'rcpt.example': [{ rcpt: () => '554 5.7.1 Client host rejected: Access denied' }],
    },
  })
  const emails = ['a@banner.example', 'a@mail.example', 'a@rcpt.example']
  expect(await subStatuses(mail, emails)).toEqual(['blocked', 'blocked', 'blocked'])
  const connections = () => emails.map((email) => server(mail, email.slice(2)).connections())
  expect(connections()).toEqual([1, 1, 1])
  expect(await subStatuses(mail, emails, 500)).toEqual(['rate_limited', 'rate_limited', 'rate_limited'])
  expect(connections()).toEqual([1, 1, 1])
})

test('a wait that a reply names is limited to the longest one of the provider limits', async () => {
  const mail = await startMail({
    domains: { 'long.example': [{ rcpt: () => '450 4.7.1 Greylisted, please try again in 24 hours' }] },
  })
  const [found] = await mail.validateAll(['known@long.example'])
  const longestMs = Math.max(...PROVIDER_LIMITS[''].retryDelaysS) * 1_000
  expect(found?.verdict.subStatus).toBe('greylisted')
  expect(found?.retry?.afterMs).toBeGreaterThanOrEqual(longestMs)
  expect(found?.retry?.afterMs).toBeLessThan(2 * longestMs)
})

test('providers that decide after DATA are not probed', async () => {
  const names = { 'd.example': { mx: [[10, 'mta5.am0.yahoodns.net'] as [number, string]] } }
  const mail = await startMail({ domains: { 'a.example': [truthful()] }, names })
  const [found] = await mail.validateAll(['someone@d.example'])
  expect(found?.verdict).toMatchObject({ status: 'unknown', subStatus: 'provider_unverifiable' })
  expect(found?.retry).toBeNull()
})

test('a domain is not hosted only when all of its mail hosts reply so', async () => {
  const denies: Script = { rcpt: () => '554 5.7.1 Relay access denied' }
  const mail = await startMail({ domains: { 'none.example': [denies, denies], 'one.example': [denies, truthful()] } })
  expect(await subStatuses(mail, addresses('none.example', 30))).toEqual(Array(30).fill('domain_not_hosted'))
  const sent = [0, 1].map((n) => new Set(server(mail, 'none.example', n).recipients).size)
  expect(sent).toEqual([30, 4])
  expect(await subStatuses(mail, ['known@one.example', 'absent@one.example'])).toEqual(['', 'mailbox_not_found'])
})

test('a domain that one mail host does not host is not invalid while another does not reply', async () => {
  const denies: Script = { rcpt: () => '554 5.7.1 Relay access denied' }
  const mute: Script = { rcpt: () => 'hang_up' }
  const mail = await startMail({
    domains: { 'mute-first.example': [mute, denies], 'mute-last.example': [denies, mute] },
  })
  expect(await subStatuses(mail, ['known@mute-first.example'])).toEqual(['server_error'])
  expect(await subStatuses(mail, ['known@mute-last.example'])).toEqual(['server_error'])
})

test('addresses of two domains never share a transaction, though they share a connection', async () => {
  const mixed: string[] = []
  const script = truthful({
    rcpt(peer, to) {
      const domains = new Set([...peer.recipients, to].map((recipient) => recipient.split('@')[1]))
      if (domains.size > 1) mixed.push(to)
      return to.startsWith('known') ? '250 Ok' : NO_SUCH_USER
    },
  })
  const mail = await startMail({
    domains: { 'a.example': [script] },
    names: { 'b.example': { mx: [[10, 'mx1.a.example']] } },
  })
  for (const domain of ['a.example', 'b.example', 'a.example']) {
    const emails = addresses(domain, 5).map((email) => email.replace('known', `known-${Math.random()}`))
    expect(await subStatuses(mail, emails)).toEqual(truths(emails))
  }
  expect([mixed, server(mail, 'a.example').connections()]).toEqual([[], 1])
})

test('an address that needs SMTPUTF8 is sent only to servers that offer it', async () => {
  const offers = truthful({ capabilities: ['PIPELINING', 'SMTPUTF8'] })
  const mail = await startMail({ domains: { 'utf8.example': [offers], 'ascii.example': [truthful()] } })
  expect(await subStatuses(mail, ['known-ü@utf8.example', 'known@utf8.example'])).toEqual(['', ''])
  const plain = await subStatuses(mail, ['known-ü@ascii.example', 'known@ascii.example'])
  expect(plain).toEqual(['smtputf8_unsupported', ''])
  expect(server(mail, 'ascii.example').recipients.filter((recipient) => recipient.includes('ü'))).toEqual([])
})

test('SMTPUTF8 is declared only for transactions that need it', async () => {
  const wrong: string[] = []
  const script = truthful({
    capabilities: ['PIPELINING', 'SMTPUTF8'],
    mail(peer, _sender, parameters) {
      peer.state['declared'] = parameters === 'SMTPUTF8'
      return '250 Ok'
    },
    rcpt(peer, to) {
      if (/[^\x20-\x7e]/.test(to) !== peer.state['declared']) wrong.push(to)
      return to.startsWith('known') ? '250 Ok' : NO_SUCH_USER
    },
  })
  const mail = await startMail({ domains: { 'mixed.example': [script] } })
  const names = ['known1', 'known-ü', 'known2', 'known-é', 'known3', 'known4', 'known-ß']
  await mail.validateAll(names.map((name) => `${name}@mixed.example`))
  expect(wrong).toEqual([])
})

test('hundreds of addresses of a new domain take one control recipient for all batches', async () => {
  const mail = await startMail({ domains: { 'big.example': [truthful({ banner: () => POSTFIX })] } })
  const emails = addresses('big.example', 350)
  expect(await subStatuses(mail, emails)).toEqual(truths(emails))
  expect(controlsOf(server(mail, 'big.example').recipients).length).toBe(1)
})

test('a temporary rejection without a known reason is retried', async () => {
  const mail = await startMail({ domains: { 'busy.example': [{ rcpt: () => '451 Temporary local problem' }] } })
  const [found] = await mail.validateAll(['a@busy.example'])
  expect([found?.verdict.subStatus, found?.retry?.afterMs]).toEqual(['server_error', 60_000])
})

test('an unclassified rejection is invalid if the control recipient got the same text and another recipient is accepted after it', async () => {
  const script: Script = { rcpt: (_peer, to) => (/^(known|postmaster)/.test(to) ? '250 Ok' : '550 Zut alors, flurb!') }
  const mail = await startMail({ domains: { 'odd.example': [script] } })
  expect(await subStatuses(mail, ['absent1@odd.example'])).toEqual(['policy_rejected'])
  expect(mail.unclassified).toEqual([
    { provider: '', stage: 'rcpt', code: 550, text: expect.stringContaining('flurb') },
  ])
  expect(await subStatuses(mail, ['known1@odd.example'])).toEqual([''])
  expect(await subStatuses(mail, ['absent2@odd.example'])).toEqual(['mailbox_not_found'])
  expect(server(mail, 'odd.example').recipients.at(-1)).toBe('postmaster@odd.example')
  const emails = ['absent3@odd.example', 'known2@odd.example', 'absent4@odd.example']
  expect(await subStatuses(mail, emails)).toEqual(truths(emails))
  expect(server(mail, 'odd.example').recipients.at(-1)).toBe('known2@odd.example')
})

test('a control recipient rejected with a temporary code that confirms an unknown mailbox rules out a catch-all', async () => {
  const unverified =
    '450 4.1.1 Recipient address rejected: unverified address: host store.example[192.0.2.7] said: 550 5.1.1 User unknown'
  const script: Script = { rcpt: (_peer, to) => (to.startsWith('known') ? '250 Ok' : unverified) }
  const mail = await startMail({ domains: { 'verifies.example': [script] } })
  expect(await subStatuses(mail, ['known1@verifies.example'])).toEqual([''])
})

test('an accepted recipient is retried when the control recipient was deferred', async () => {
  const script: Script = {
    rcpt: (_peer, to) => (to.startsWith('known') ? '250 Ok' : '451 4.7.1 Greylisting in action'),
  }
  const mail = await startMail({ domains: { 'half.example': [script] } })
  const [found] = await mail.validateAll(['known1@half.example'])
  expect([found?.verdict.subStatus, found?.retry?.afterMs]).toEqual(['greylisted', 60_000])
})

test('a probe of a silent server ends at the deadline without an invalid result', {
  tags: ['timed'],
}, async () => {
  const mail = await startMail({
    domains: { 'mute.example': [{ rcpt: () => ({ reply: '250 Ok', afterMs: 10_000 }) }] },
  })
  const began = performance.now()
  expect(await subStatuses(mail, ['a@mute.example'], 700)).toEqual(['timeout'])
  expect(performance.now() - began).toBeLessThan(1_300)
})

test('a tarpit is disconnected, and recipients without a reply are sent on another connection', {
  tags: ['timed'],
}, async () => {
  const script = truthful({
    rcpt: (peer, to) => ({
      reply: to.startsWith('known') ? '250 Ok' : NO_SUCH_USER,
      afterMs: peer.refused >= 2 ? 2_500 : 0,
    }),
    banner: () => POSTFIX,
  })
  const mail = await startMail({ domains: { 'tar.example': [script] } })
  const emails = addresses('tar.example', 6, 6)
  expect(await subStatuses(mail, emails, 15_000)).toEqual(truths(emails))
  const later = addresses('tar.example', 6, 6).map((email) => email.replace('known', 'known-later-'))
  const began = performance.now()
  expect(await subStatuses(mail, later, 15_000)).toEqual(truths(later))
  expect(performance.now() - began).toBeLessThan(2_000) // the error limit of the server is known by now
})

test('recipients that were not sent before the deadline are retried', async () => {
  const slow = truthful({ rcpt: () => ({ reply: '250 Ok', afterMs: 100 }), capabilities: ['8BITMIME'] })
  const mail = await startMail({ domains: { 'late.example': [slow] } })
  const found = await mail.validateAll(addresses('late.example', 20), 900)
  const late = found.filter(({ verdict }) => verdict.subStatus === 'timeout')
  expect(late.length).toBeGreaterThan(5)
  expect(late.filter(({ retry }) => retry === null)).toEqual([])
})

test('the transcript in the evidence contains no address', async () => {
  const script = truthful({ rcpt: (_peer, to) => `550 5.1.1 <${to}>: Recipient address rejected: User unknown` })
  const mail = await startMail({ domains: { 'shown.example': [script] } })
  const [found] = await mail.validateAll(['private.person@shown.example'])
  const shown = found?.evidence.find(({ check }) => check === 'recipient')
  expect(shown?.outcome).toBe('mailbox_not_found')
  expect(shown?.detail).toContain('Host: mx1.shown.example.')
  expect(shown?.detail).toContain('550 5.1.1')
  expect(JSON.stringify(found?.evidence)).not.toContain('private.person')
})
