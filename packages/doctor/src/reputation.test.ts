import { openResolver } from '@probity/engine/domain/resolver'
import { startDns } from '@probity/lab/dns/start'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { BLOCKLISTS } from './data/blocklists.ts'
import { examineReputation } from './reputation.ts'
import { EGRESS } from './test-world.ts'

/** The last octet of an address selects its planted response. */
const ON_LIST = '1.0.18.198'
const REFUSED = { '127.255.255.252': '2', '127.255.255.254': '4', '127.255.255.255': '5' }

const dns = await startDns({
  names: {
    [`${ON_LIST}.zen.spamhaus.org`]: { a: ['127.0.0.2', '127.0.0.4'] },
    [`${ON_LIST}.psbl.surriel.com`]: { a: ['127.0.0.2'] },
    ...Object.fromEntries(
      Object.entries(REFUSED).map(([code, end]) => [`${end}.0.18.198.zen.spamhaus.org`, { a: [code] }]),
    ),
    '6.0.18.198.zen.spamhaus.org': { a: ['203.0.113.80'] },
  },
  faults: { 'bl.spamcop.net': 'servfail' },
})
whenDone(() => dns.stop())
const lookUp = openResolver({ servers: [`127.0.0.1:${dns.port}`], timeoutMs: 4_000 })

async function ask(address: string | undefined) {
  const way = { egress: EGRESS, reached: [], address, known: 'told' as const }
  const findings = await examineReputation([way], lookUp, BLOCKLISTS)
  return Object.fromEntries(findings.map((finding) => [finding.subject.split(' · ')[1] ?? '', finding]))
}

test('blocklists fails with the delisting page, warns for a minor DNSBL, and is unknown without a response', async () => {
  const found = await ask('198.18.0.1')
  expect(found['zen.spamhaus.org']).toMatchObject({
    status: 'fail',
    saw: '198.18.0.1 is listed on Spamhaus ZEN (127.0.0.2, 127.0.0.4).',
    fix: { lines: ['https://check.spamhaus.org/', `dig ${ON_LIST}.zen.spamhaus.org TXT`] },
  })
  expect(found['psbl.surriel.com']?.status).toBe('warn')
  expect(found['b.barracudacentral.org']?.status).toBe('pass')
  expect(found['bl.spamcop.net']).toMatchObject({
    status: 'unknown',
    saw: expect.stringContaining('could not be queried'),
  })
})

test.each(Object.entries(REFUSED))('%s is an error of the DNSBL, not a listing', async (_code, end) => {
  const found = await ask(`198.18.0.${end}`)
  expect(found['zen.spamhaus.org']).toMatchObject({
    status: 'unknown',
    saw: expect.stringContaining('This is not a listing.'),
  })
})

test('a record outside 127.0.0.0/8 is not a listing', async () => {
  expect((await ask('198.18.0.6'))['zen.spamhaus.org']?.status).toBe('unknown')
})

test('blocklists is unknown when the egress IP is unknown', async () => {
  const found = await ask(undefined)
  expect(Object.values(found).map(({ status }) => status)).toEqual(BLOCKLISTS.map(() => 'unknown'))
})
