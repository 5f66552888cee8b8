import { expect, test } from 'vitest'
import { startMail } from '../probe/test-mail.ts'
import { PROVIDER_LIMITS } from '../providers/data/limits.ts'

const WAITING = 40
const MX = 'mx.google.com'

test('probes that wait for connections to one site do not all request leases repeatedly', async () => {
  const domains = Array.from({ length: WAITING }, (_, n) => `firm${n}.example`)
  const shared = {
    ...PROVIDER_LIMITS['google'],
    connectionsPerEgress: 1,
    connectionsPerMinute: 6_000,
    tls: 'never' as const,
  }
  const mail = await startMail({
    domains: {
      'firm.example': [
        { rcpt: (_peer, to) => ({ reply: to.startsWith('known') ? '250 Ok' : '550 5.1.1 Unknown', afterMs: 50 }) },
      ],
    },
    hostNames: { 'firm.example': MX },
    names: Object.fromEntries(domains.map((domain) => [domain, { mx: [[10, MX]] }])),
    providerLimits: { ...PROVIDER_LIMITS, google: { ...PROVIDER_LIMITS[''], ...shared } },
  })
  await mail.lookUpAll(domains)
  const began = performance.now()
  const found = await mail.validateAll(
    domains.map((domain) => `known@${domain}`),
    60_000,
  )
  const seconds = (performance.now() - began) / 1_000

  expect(new Set(found.map(({ verdict }) => verdict.status))).toEqual(new Set(['valid']))
  // Each probe requests a lease when it starts and when a connection is released. One of them requests twenty per second.
  expect(mail.countLeaseRequests()).toBeLessThan(2 * WAITING + 20 * seconds + 10)
})
