import { Resolver } from 'node:dns/promises'
import { openResolver } from '@probity/engine/domain/resolver'
import { startDns } from '@probity/lab/dns/start'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { type EgressAddress, findAddress } from './egress.ts'
import { examineIdentity, type IdentityDns, judgeName, reverseName } from './identity.ts'
import { judgeSpf } from './sender.ts'
import { EGRESS, OUR_ADDRESS, OUR_NAMES } from './test-world.ts'

const dns = await startDns({
  names: {
    ...OUR_NAMES,
    'elsewhere.probity.example': { a: ['198.18.0.99'] },
    '99.0.18.198.in-addr.arpa': { ptr: ['host-99.hoster.example'] },
    'host-99.hoster.example': { a: ['198.18.0.99'] },
    // The PTR record names it, but it resolves to another address.
    'one-way.probity.example': { a: ['198.18.0.50'] },
    '51.0.18.198.in-addr.arpa': { ptr: ['one-way.probity.example'] },
    'six.probity.example': { aaaa: ['2001:4:112::7'] },
    '7.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.2.1.1.0.4.0.0.0.1.0.0.2.ip6.arpa': { ptr: ['six.probity.example'] },
    'no-mail.example': { a: ['198.18.0.9'], mx: [[0, '.']] },
    'address-only.example': { a: ['198.18.0.9'] },
    'no-spf.example': { mx: [[10, 'mail.probity.example']] },
    'other-spf.example': { mx: [[10, 'mail.probity.example']], txt: ['v=spf1 ip4:192.0.2.0/24 -all'] },
    'soft-spf.example': { txt: ['v=spf1 ip4:192.0.2.1 ~all'] },
    'two-spf.example': { txt: ['v=spf1 -all', `v=spf1 ip4:${OUR_ADDRESS} -all`] },
    'block-spf.example': { txt: ['v=spf1 ip4:198.18.0.0/24 -all'] },
    'a-spf.example': { txt: ['v=spf1 a:probe.probity.example -all'] },
    'mx-spf.example': { mx: [[10, 'probe.probity.example']], txt: ['v=spf1 mx -all'] },
    'mx-bits-spf.example': { mx: [[10, 'mail.probity.example']], txt: ['v=spf1 mx/24 -all'] },
    'include-spf.example': { txt: ['v=spf1 include:other-spf.example include:block-spf.example -all'] },
    'redirect-spf.example': { txt: ['v=spf1 redirect=block-spf.example'] },
    'mute-spf.example': { txt: ['v=spf1 ip4:192.0.2.1'] },
    'loop-spf.example': { txt: ['v=spf1 include:loop-spf.example -all'] },
    'macro-spf.example': { txt: ['v=spf1 exists:%{i}.x.example -all'] },
    'six-spf.example': { txt: ['v=spf1 ip6:::/0 -all'] },
  },
  faults: { 'broken.example': 'servfail' },
})
whenDone(() => dns.stop())

const reverse = new Resolver({ timeout: 4_000, tries: 1 })
const servers = [`127.0.0.1:${dns.port}`]
reverse.setServers(servers)
const lookUp: IdentityDns = {
  ...openResolver({ servers, timeoutMs: 4_000 }),
  resolvePtr: (name) => reverse.resolvePtr(name),
}

const HEALTHY: EgressAddress = { egress: EGRESS, reached: [], address: OUR_ADDRESS, known: 'told' }
const named = (heloName: string, address = OUR_ADDRESS): EgressAddress => ({
  ...HEALTHY,
  address,
  egress: { ...EGRESS, name: heloName, heloName },
})
const sentBy = (domain: string): EgressAddress => ({ ...HEALTHY, egress: { ...EGRESS, mailFrom: `bounce@${domain}` } })

async function look(way: EgressAddress) {
  const findings = await examineIdentity([way], lookUp)
  return Object.fromEntries(findings.map((finding) => [finding.check, finding]))
}

test('all identity checks pass with correct DNS records', async () => {
  const found = await look(HEALTHY)
  expect(Object.values(found).map(({ check, status }) => [check, status])).toEqual([
    ['ehlo-name', 'pass'],
    ['forward-dns', 'pass'],
    ['reverse-dns', 'pass'],
    ['sender-mx', 'pass'],
    ['sender-spf', 'pass'],
  ])
})

test.each([
  ['localhost.localdomain', 'fail'],
  ['probe.internal', 'fail'],
  ['probe.example.com', 'fail'],
  ['mail.gmail.com', 'fail'],
  ['198-18-0-25.dynamic.hoster.example', 'warn'],
  ['static.25.0.18.198.clients.hoster.example', 'warn'],
  ['probe.probity.example', 'pass'],
])('ehlo-name of %s: %s', (name, status) => {
  expect(judgeName(named(name)).status).toBe(status)
})

test('reverse-dns distinguishes a missing, a different and an unconfirmed PTR record, and shows the record to add', async () => {
  const without = await look(named('one-way.probity.example', '198.18.0.50'))
  expect(without['reverse-dns']).toMatchObject({
    status: 'fail',
    saw: '198.18.0.50 has no PTR record.',
    fix: { lines: ['50.0.18.198.in-addr.arpa. IN PTR one-way.probity.example.'] },
  })
  const other = await look(named('elsewhere.probity.example', '198.18.0.99'))
  expect(other['reverse-dns']).toMatchObject({
    status: 'fail',
    saw: 'The PTR record of 198.18.0.99 is host-99.hoster.example, but the HELO name is elsewhere.probity.example.',
    fix: {
      lines: [
        '99.0.18.198.in-addr.arpa. IN PTR elsewhere.probity.example.',
        'PROBITY_SMTP_HELO_NAME=host-99.hoster.example',
      ],
    },
  })
  const oneWay = await look(named('one-way.probity.example', '198.18.0.51'))
  expect(oneWay['reverse-dns']).toMatchObject({
    status: 'fail',
    saw: 'The PTR record of 198.18.0.51 is one-way.probity.example, but one-way.probity.example resolves to 198.18.0.50.',
    fix: { lines: ['one-way.probity.example. IN A 198.18.0.51'] },
  })
  expect(oneWay['forward-dns']).toMatchObject({
    status: 'fail',
    fix: { lines: ['one-way.probity.example. IN A 198.18.0.51'] },
  })
})

test('IPv6 addresses use AAAA and ip6.arpa records', async () => {
  expect(reverseName('2001:4:112::7')).toBe('7.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.2.1.1.0.4.0.0.0.1.0.0.2.ip6.arpa')
  const found = await look(named('six.probity.example', '2001:4:112::7'))
  expect([found['forward-dns']?.status, found['reverse-dns']?.status]).toEqual(['pass', 'pass'])
  const none = await look(named('probe.probity.example', '2001:4:112::8'))
  expect(none['forward-dns']?.fix?.lines).toEqual(['probe.probity.example. IN AAAA 2001:4:112::8'])
})

test('identity checks are unknown when DNS fails', async () => {
  const found = await look(named('probe.broken.example'))
  expect(found['forward-dns']?.status).toBe('unknown')
  const sender = await look(sentBy('broken.example'))
  expect([sender['sender-mx']?.status, sender['sender-spf']?.status]).toEqual(['unknown', 'unknown'])
  const nowhere = await look({ ...HEALTHY, address: undefined, known: undefined })
  expect([nowhere['reverse-dns']?.status, nowhere['sender-spf']?.status]).toEqual(['unknown', 'unknown'])
})

test('sender-mx fails for a domain that does not accept mail, and warns without an MX record', async () => {
  expect((await look(sentBy('no-mail.example')))['sender-mx']).toMatchObject({
    status: 'fail',
    fix: { lines: ['no-mail.example. IN MX 10 mail.no-mail.example.'] },
  })
  expect((await look(sentBy('address-only.example')))['sender-mx']?.status).toBe('warn')
  expect((await look(sentBy('absent.example')))['sender-mx']?.status).toBe('fail')
})

test('sender-spf shows the record to publish when it is missing or does not authorize the egress IP', async () => {
  expect((await look(sentBy('no-spf.example')))['sender-spf']).toMatchObject({
    status: 'warn',
    fix: { lines: ['no-spf.example. IN TXT "v=spf1 ip4:198.18.0.25 -all"'] },
  })
  expect((await look(sentBy('other-spf.example')))['sender-spf']).toMatchObject({
    status: 'fail',
    fix: { lines: ['other-spf.example. IN TXT "v=spf1 ip4:198.18.0.25 ip4:192.0.2.0/24 -all"'] },
  })
})

test.each([
  ['probity.example', 'pass'],
  ['block-spf.example', 'pass'],
  ['a-spf.example', 'pass'],
  ['mx-spf.example', 'pass'],
  ['mx-bits-spf.example', 'pass'],
  ['include-spf.example', 'pass'],
  ['redirect-spf.example', 'pass'],
  ['other-spf.example', 'fail'],
  ['soft-spf.example', 'softfail'],
  ['mute-spf.example', 'neutral'],
  ['no-spf.example', 'none'],
  ['two-spf.example', 'permerror'],
  ['loop-spf.example', 'permerror'],
  ['macro-spf.example', 'unsure'],
  ['six-spf.example', 'fail'],
  ['broken.example', 'unsure'],
])('the SPF record of %s: %s', async (domain, result) => {
  expect((await judgeSpf(domain, OUR_ADDRESS, lookUp)).result).toBe(result)
})

test('findAddress prefers the EHLO reply, then the configured address, then the assumed address', async () => {
  const isPublic = (address: string) => address.startsWith('198.18.')
  const reached = (hello: string) => [
    {
      referenceHost: { provider: '', domain: '', greetsAs: [], why: '' },
      host: '',
      address: '',
      ms: 0,
      connectivity: { kind: 'reached' as const, banner: '', hello, capabilities: [] },
    },
  ]
  const from = { ...EGRESS, localAddress: '198.18.0.77' }
  const private_ = { ...EGRESS, localAddress: '10.0.0.7' }
  expect(await findAddress(from, reached('mx at your service, [198.18.0.44]'), lookUp, isPublic)).toMatchObject({
    address: '198.18.0.44',
    known: 'told',
  })
  expect(await findAddress(from, reached('mx Hello [10.0.0.9]'), lookUp, isPublic)).toMatchObject({
    address: '198.18.0.77',
    known: 'set',
  })
  expect(await findAddress(private_, [], lookUp, isPublic)).toMatchObject({ address: OUR_ADDRESS, known: 'assumed' })
  expect(await findAddress({ ...EGRESS, heloName: 'absent.example' }, [], lookUp, isPublic)).toMatchObject({
    known: undefined,
  })
})
