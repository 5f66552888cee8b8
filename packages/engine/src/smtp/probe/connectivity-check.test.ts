import { startDns } from '@probity/lab/dns/start'
import type { Names } from '@probity/lab/dns/zone-file'
import { freePort } from '@probity/lab/services/daemon'
import { type Script, type ScriptedServer, startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { PROVIDERS } from '../../domain/data/providers.ts'
import { openResolver } from '../../domain/resolver.ts'
import { findFreePort, loopback, serve } from '../protocol/test-dialing.ts'
import {
  type Connectivity,
  type ConnectivityOptions,
  checkHost,
  checkReferenceHosts,
  isReachable,
} from './connectivity-check.ts'
import { REFERENCE_HOSTS, type ReferenceHost } from './data/reference-hosts.ts'
import { EGRESS, onLoopback } from './test-mail.ts'

/** The server at each host. */
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
  'mx.closed.example': { a: ['127.92.1.1'] }, // no server listens there
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

function reaching(): ConnectivityOptions {
  return { dns: resolver, policy: onLoopback(port), egress: EGRESS, deadline: performance.now() + 5_000 }
}

test.each<[string, string[], Partial<Connectivity>]>([
  ['mx.honest.example', [], { kind: 'reached', capabilities: ['PIPELINING', 'SIZE', '8BITMIME'] }],
  ['mx.elsewhere.example', ['greets-as.example'], { kind: 'reached' }],
  ['mx.elsewhere.example', [], { kind: 'intercepted', claimedName: 'in7.greets-as.example' }],
  ['mx.proxied.example', [], { kind: 'intercepted', claimedName: 'outgoing.some-isp.example' }],
  ['mx.half-proxied.example', [], { kind: 'intercepted', claimedName: 'outgoing.some-isp.example' }],
  ['mx.blotted.example', [], { kind: 'intercepted' }],
  ['mx.nameless.example', [], { kind: 'reached', banner: 'ready' }],
  ['mx.turns-away.example', [], { kind: 'turned_away', stage: 'greeting', code: 554 }],
  ['mx.turns-hello.example', [], { kind: 'turned_away', stage: 'ehlo', code: 550 }],
  ['mx.hangs-up.example', [], { kind: 'closed' }],
  ['mx.babbles.example', [], { kind: 'garbled' }],
  ['mx.closed.example', [], { kind: 'refused' }],
  ['mx.absent.example', [], { kind: 'not_asked', why: 'no_address' }],
])('checkHost of %s, which may greet as %j', async (host, greetsAs, expected) => {
  const { connectivity } = await checkHost(host, greetsAs, reaching())
  expect(connectivity).toMatchObject(expected)
})

test('checkHost sends only EHLO and QUIT', async () => {
  const before = servers['mx.honest.example']?.groups.length
  await checkHost('mx.honest.example', [], reaching())
  expect(servers['mx.honest.example']?.groups.slice(before)).toEqual([['EHLO'], ['QUIT']])
})

test('checkHost stops waiting for a silent host at the deadline', { tags: ['timed'] }, async () => {
  const port = await serve(() => {})
  const began = performance.now()
  const dialing = loopback(['127.0.0.1'], port, { deadline: began + 300 })
  const { connectivity } = await checkHost('mx.example', [], { ...dialing, egress: EGRESS })
  expect(connectivity).toEqual({ kind: 'timeout' })
  expect(performance.now() - began).toBeLessThan(1_500)
})

test('checkHost connects to no address that the policy forbids', async () => {
  const policy = { port: await findFreePort(), allows: () => false }
  const { connectivity } = await checkHost('mx.honest.example', [], { ...reaching(), policy })
  expect(connectivity).toEqual({ kind: 'not_asked', why: 'not_routable' })
})

test('checkHost distinguishes an unavailable proxy from an unavailable host', async () => {
  const egress = { ...EGRESS, socks5: { host: '127.0.0.1', port: await findFreePort() } }
  const { connectivity } = await checkHost('mx.honest.example', [], { ...reaching(), egress })
  expect(connectivity).toEqual({ kind: 'proxy_failed' })
})

test('checkReferenceHosts checks the first host of each domain and distinguishes DNS failures from connection failures', async () => {
  const domains = ['honest.example', 'turns-away.example', 'proxied.example', 'empty.example', 'broken.example']
  const references = domains.map((domain) => ({ provider: domain, domain, greetsAs: [], why: '' }))
  const found = await checkReferenceHosts(references, reaching())

  expect(found.map(({ referenceHost, host, connectivity }) => [referenceHost.domain, host, connectivity.kind])).toEqual(
    [
      ['honest.example', 'mx.honest.example', 'reached'],
      ['turns-away.example', 'mx.turns-away.example', 'turned_away'],
      ['proxied.example', 'mx.proxied.example', 'intercepted'],
      ['empty.example', null, 'not_asked'],
      ['broken.example', null, 'not_asked'],
    ],
  )
  expect(found.map(({ connectivity }) => ('why' in connectivity ? connectivity.why : null)).slice(3)).toEqual([
    'no_mail_host',
    'dns_failed',
  ])
  expect(found.map(({ connectivity }) => isReachable(connectivity))).toEqual([true, true, false, false, false])
  expect(found[0]).toMatchObject({ address: '127.92.0.1' })
})

test.each(REFERENCE_HOSTS)(
  'the reference host $domain belongs to a known provider',
  ({ provider, greetsAs }: ReferenceHost) => {
    expect(PROVIDERS.map(({ id }) => id)).toContain(provider)
    expect(greetsAs.length).toBeGreaterThan(0)
  },
)
