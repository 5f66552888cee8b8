import { startDns } from '@probity/lab/dns/start'
import type { Names } from '@probity/lab/dns/zone-file'
import { freePort } from '@probity/lab/services/daemon'
import { type Script, type ScriptedServer, startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { PROVIDERS } from '../domain/data/providers.ts'
import { openResolver } from '../domain/resolver.ts'
import { LANDMARKS, type Landmark } from './data/landmarks.ts'
import { isThrough, type Reach, type Reaching, reachHost, reachLandmarks } from './reach.ts'
import { findFreePort, loopback, serve } from './test-dialling.ts'
import { EGRESS, onLoopback } from './test-mail.ts'

/** What stands at the end of the way to each host. */
const HOSTS: Record<string, Script> = {
  'mx.honest.example': { capabilities: ['PIPELINING', 'SIZE 1000', '8BITMIME'] },
  'mx.elsewhere.example': { name: 'in7.greets-as.example' },
  'mx.proxied.example': { name: 'outgoing.some-isp.example' },
  'mx.half-proxied.example': {
    banner: () => '220 mx.half-proxied.example',
    ehlo: () => '250 outgoing.some-isp.example',
  },
  'mx.blotted.example': { banner: () => '220 ****************************' },
  'mx.nameless.example': { banner: () => '220 ready', ehlo: () => '250 hello' },
  'mx.turns-away.example': { banner: () => '554 5.7.1 blocked.example.org lists you' },
  'mx.turns-hello.example': { ehlo: () => '550 5.7.1 Access denied' },
  'mx.hangs-up.example': { banner: () => 'hang_up' },
  'mx.babbles.example': { banner: () => 'HTTP/1.1 400 Bad Request' },
}

const servers: Record<string, ScriptedServer> = {}
const port = await freePort()
const names: Names = {
  'empty.example': { mx: [[0, '.']] },
  'mx.closed.example': { a: ['127.92.1.1'] }, // nobody listens there
}
for (const [n, [host, script]] of Object.entries(HOSTS).entries()) {
  const address = `127.92.0.${n + 1}`
  names[host] = { a: [address] }
  names[host.slice('mx.'.length)] = { mx: [[10, host]] }
  const server = await startScripted({ name: host, ...script }, { host: address, port })
  servers[host] = server
  whenDone(() => server.stop())
}
const dns = await startDns({ names, faults: { 'broken.example': 'servfail' } })
whenDone(() => dns.stop())
const resolver = openResolver({ servers: [`127.0.0.1:${dns.port}`], timeoutMs: 4_000 })

function reaching(): Reaching {
  return { dns: resolver, policy: onLoopback(port), egress: EGRESS, deadline: performance.now() + 5_000 }
}

test.each<[string, string[], Partial<Reach>]>([
  ['mx.honest.example', [], { kind: 'reached', offers: ['PIPELINING', 'SIZE', '8BITMIME'] }],
  ['mx.elsewhere.example', ['greets-as.example'], { kind: 'reached' }],
  ['mx.elsewhere.example', [], { kind: 'intercepted', saidToBe: 'in7.greets-as.example' }],
  ['mx.proxied.example', [], { kind: 'intercepted', saidToBe: 'outgoing.some-isp.example' }],
  ['mx.half-proxied.example', [], { kind: 'intercepted', saidToBe: 'outgoing.some-isp.example' }],
  ['mx.blotted.example', [], { kind: 'intercepted' }],
  ['mx.nameless.example', [], { kind: 'reached', banner: 'ready' }],
  ['mx.turns-away.example', [], { kind: 'turned_away', stage: 'greeting', code: 554 }],
  ['mx.turns-hello.example', [], { kind: 'turned_away', stage: 'ehlo', code: 550 }],
  ['mx.hangs-up.example', [], { kind: 'closed' }],
  ['mx.babbles.example', [], { kind: 'garbled' }],
  ['mx.closed.example', [], { kind: 'refused' }],
  ['mx.absent.example', [], { kind: 'not_asked', why: 'no_address' }],
])('the way to %s, which may speak as %j', async (host, speaksAs, expected) => {
  const { reach } = await reachHost(host, speaksAs, reaching())
  expect(reach).toMatchObject(expected)
})

test('says EHLO and QUIT, and speaks of no mailbox', async () => {
  const before = servers['mx.honest.example']?.groups.length
  await reachHost('mx.honest.example', [], reaching())
  expect(servers['mx.honest.example']?.groups.slice(before)).toEqual([['EHLO'], ['QUIT']])
})

test('waits for a silent host no longer than it was told to', { tags: ['timed'] }, async () => {
  const port = await serve(() => {})
  const began = performance.now()
  const dialling = loopback(['127.0.0.1'], port, { deadline: began + 300 })
  const { reach } = await reachHost('mx.example', [], { ...dialling, egress: EGRESS })
  expect(reach).toEqual({ kind: 'timeout' })
  expect(performance.now() - began).toBeLessThan(1_500)
})

test('dials no address that the policy forbids', async () => {
  const policy = { port: await findFreePort(), allows: () => false }
  const { reach } = await reachHost('mx.honest.example', [], { ...reaching(), policy })
  expect(reach).toEqual({ kind: 'not_asked', why: 'not_routable' })
})

test('tells a proxy that does not answer from a host that does not', async () => {
  const egress = { ...EGRESS, socks5: { host: '127.0.0.1', port: await findFreePort() } }
  const { reach } = await reachHost('mx.honest.example', [], { ...reaching(), egress })
  expect(reach).toEqual({ kind: 'proxy_failed' })
})

test('looks landmarks up and asks their first host, and tells who could not be looked up from who cannot be reached', async () => {
  const domains = ['honest.example', 'turns-away.example', 'proxied.example', 'empty.example', 'broken.example']
  const landmarks = domains.map((domain) => ({ provider: domain, domain, speaksAs: [], why: '' }))
  const found = await reachLandmarks(landmarks, reaching())

  expect(found.map(({ landmark, host, reach }) => [landmark.domain, host, reach.kind])).toEqual([
    ['honest.example', 'mx.honest.example', 'reached'],
    ['turns-away.example', 'mx.turns-away.example', 'turned_away'],
    ['proxied.example', 'mx.proxied.example', 'intercepted'],
    ['empty.example', null, 'not_asked'],
    ['broken.example', null, 'not_asked'],
  ])
  expect(found.map(({ reach }) => ('why' in reach ? reach.why : null)).slice(3)).toEqual(['no_mail_host', 'dns_failed'])
  expect(found.map(({ reach }) => isThrough(reach))).toEqual([true, true, false, false, false])
  expect(found[0]).toMatchObject({ address: '127.92.0.1' })
})

test.each(LANDMARKS)('$domain is a landmark of a provider that we know', ({ provider, speaksAs }: Landmark) => {
  expect(PROVIDERS.map(({ id }) => id)).toContain(provider)
  expect(speaksAs.length).toBeGreaterThan(0)
})
