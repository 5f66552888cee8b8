import type { Names } from '@probity/lab/dns/zone-file'
import type { Peer } from '@probity/lab/smtp/server'
import { expect, test } from 'vitest'
import { startMail } from '../probe/test-mail.ts'
import { PROVIDER_LIMITS } from '../providers/data/limits.ts'

const ADDRESS = '127.96.1.1'
const GOOGLE_HOST = 'aspmx.l.google.com'

/** The highest number of recipients that a server has open at once, over all connections. */
function countAtOnce() {
  const open = new Set<Peer>()
  const seen = { most: 0 }
  const rcpt = (peer: Peer, recipient: string) => {
    open.add(peer)
    seen.most = Math.max(seen.most, open.size)
    setTimeout(() => open.delete(peer), 20).unref()
    return { reply: recipient.startsWith('known') ? '250 2.1.5 Ok' : '550 5.1.1 Unknown', afterMs: 30 }
  }
  return { seen, rcpt }
}

/** Domains with an MX name each; all names resolve to the address of one server. */
function namesAt(address: string, count: number): { domains: string[]; names: Names } {
  const domains = Array.from({ length: count }, (_, n) => `d${n}.example`)
  const names = domains.flatMap((domain): [string, Names[string]][] => [
    [domain, { mx: [[10, `mx.${domain}`]] }],
    [`mx.${domain}`, { a: [address] }],
  ])
  return { domains, names: Object.fromEntries(names) }
}

test('names without a provider share the connections of the address they resolve to', async () => {
  const { seen, rcpt } = countAtOnce()
  const { domains, names } = namesAt(ADDRESS, 30)
  const mail = await startMail({
    domains: {},
    servers: { [ADDRESS]: { rcpt } },
    names,
    addressLimits: { connections: 3, perMinute: 60_000 },
  })
  const found = await mail.validateAll(domains.map((domain) => `known@${domain}`))
  expect(new Set(found.map(({ verdict }) => verdict.status))).toEqual(new Set(['valid']))
  expect(seen.most).toBe(3)
})

test("a name that resolves to an address of a provider's own host has the connections of the provider", async () => {
  const { seen, rcpt } = countAtOnce()
  const { domains, names } = namesAt(ADDRESS, 20)
  const google = {
    ...PROVIDER_LIMITS['google'],
    connectionsPerEgress: 1,
    connectionsPerMinute: 60_000,
    tls: 'never' as const,
  }
  const mail = await startMail({
    domains: {},
    servers: { [ADDRESS]: { rcpt } },
    names: { ...names, 'customer.example': { mx: [[10, GOOGLE_HOST]] }, [GOOGLE_HOST]: { a: [ADDRESS] } },
    providerLimits: { ...PROVIDER_LIMITS, google },
  })
  const [customer] = await mail.validateAll(['known@customer.example'])
  expect(customer?.verdict.status).toBe('valid')
  seen.most = 0
  const found = await mail.validateAll(domains.map((domain) => `known@${domain}`))
  expect(new Set(found.map(({ verdict }) => verdict.status))).toEqual(new Set(['valid']))
  expect(seen.most).toBe(1)
})

test('the next host is tried under the limits of its own address when the first does not accept connections', async () => {
  const { seen, rcpt } = countAtOnce()
  const closed = '127.96.1.9'
  const names: Names = {
    'two.example': {
      mx: [
        [10, 'gone.two.example'],
        [20, 'here.two.example'],
      ],
    },
    'gone.two.example': { a: [closed] },
    'here.two.example': { a: [ADDRESS] },
  }
  const mail = await startMail({
    domains: {},
    servers: { [ADDRESS]: { rcpt } },
    names,
    addressLimits: { connections: 1, perMinute: 60_000 },
  })
  const found = await mail.validateAll(['known1@two.example', 'absent1@two.example'])
  expect(found.map(({ verdict }) => verdict.status)).toEqual(['valid', 'invalid'])
  expect(seen.most).toBe(1)
})
