import { createSemaphore } from '@probity/concurrency/scheduling'
import { withBigNames } from '@probity/lab/dns/big-names'
import { startHostileDns } from '@probity/lab/dns/hostile'
import { startDns } from '@probity/lab/dns/start'
import { afterAll, expect, test } from 'vitest'
import { findMailHosts, type MailHosts } from './mail-hosts.ts'
import { openResolver } from './resolver.ts'

const [real, hostile] = await Promise.all([startDns(withBigNames()), startHostileDns()])
afterAll(() => Promise.all([real.stop(), hostile.stop()]))

const dns = openResolver({ servers: [`127.0.0.1:${real.port}`] })
const hostileDns = openResolver({ servers: [`127.0.0.1:${hostile.port}`] })

function mx(...names: string[]): MailHosts {
  const hosts = names.map((entry) => {
    const [preference, name = ''] = entry.split(' ')
    return { name, preference: Number(preference) }
  })
  return { kind: 'hosts', hosts, source: 'mx' }
}

function itself(name: string): MailHosts {
  return { kind: 'hosts', hosts: [{ name, preference: 0 }], source: 'address' }
}

const NOT_ROUTABLE: MailHosts = { kind: 'unroutable', reason: 'not_routable' }
const NOT_FOUND: MailHosts = { kind: 'none', reason: 'domain_not_found' }
const NO_SERVER: MailHosts = { kind: 'none', reason: 'no_mail_server' }
const NULL_MX: MailHosts = { kind: 'none', reason: 'null_mx' }

function failed(failure: (MailHosts & { kind: 'unknown' })['failure']): MailHosts {
  return { kind: 'unknown', reason: 'dns_failed', failure }
}

test.concurrent.each<[string, MailHosts]>([
  ['two-mx.example', mx('10 mx1.two-mx.example', '20 mx2.two-mx.example')],
  [
    'equal-mx.example',
    mx('5 z.equal-mx.example', '10 a.equal-mx.example', '10 b.equal-mx.example', '10 c.equal-mx.example'),
  ],
  ['same-mx.example', mx('10 mx1.two-mx.example', '20 mx2.two-mx.example')],
  ['xn--bcher-kva.example', mx('10 mx.xn--bcher-kva.example')],
  ['mx-no-address.example', mx('10 nothing.mx-no-address.example')],
  ['mx-private.example', mx('10 mx.mx-private.example')],
  ['mx-itself.example', mx('10 mx-itself.example')],
  ['null-mx-and-real.example', mx('10 mx1.two-mx.example')],
  ['mx-odd-and-real.example', mx('10 mx1.two-mx.example')],
  ['alias.example', mx('10 mx1.two-mx.example', '20 mx2.two-mx.example')],
  ['alias-chain.example', mx('10 mx1.two-mx.example', '20 mx2.two-mx.example')],

  ['hop92.far-alias.example', mx('10 mx1.two-mx.example', '20 mx2.two-mx.example')],

  ['a-only.example', itself('a-only.example')],
  ['aaaa-only.example', itself('aaaa-only.example')],
  ['both-addresses.example', itself('both-addresses.example')],

  ['null-mx.example', NULL_MX],
  ['null-mx-preferred.example', NULL_MX],
  ['two-null-mx.example', NOT_ROUTABLE],
  ['no-data.example', NO_SERVER],
  ['empty-node.example', NO_SERVER],
  ['absent.example', NOT_FOUND],
  ['alias-dangling.example', NOT_FOUND],
  ['xn--bcher-kva.test', NOT_FOUND],

  ['servfail.example', failed('servfail')],
  ['below.servfail.example', failed('servfail')],
  ['refused.example', failed('refused')],
  ['silent.example', failed('timeout')],
  ['unreachable.example', failed('timeout')],
  ['alias-self.example', failed('servfail')],
  ['alias-loop.example', failed('servfail')],
  ['hop0.far-alias.example', failed('servfail')],
  ['alias-of-a.example', failed('unresolved_alias')],
  ['alias-of-nothing.example', failed('unresolved_alias')],
  ['too-many-mx.example', failed('servfail')],
  ['', failed('bad_name')],
  ['a..b', failed('bad_name')],
  ['under_score.example', failed('bad_name')],
  [`${'long.'.repeat(60)}example`, failed('bad_name')],

  // Its address is 127.0.0.1, which Unbound returns without a query.
  ['localhost', NOT_ROUTABLE],
  ...[
    'mx-integer',
    'mx-literal',
    'mx-short-literal',
    'mx-hex-literal',
    'mx-zero',
    'mx-localhost',
    'mx-below-localhost',
    'mx-single-label',
    'mx-underscore',
    'mx-hyphen',
    'mx-control',
    'mx-space',
    'mx-nul',
    'mx-dot-in-label',
    'mx-bad-idna',
    'mx-local',
    'mx-internal',
    'mx-onion',
    'mx-arpa',
    'mx-invalid',
    'mx-test',
    'mx-alt',
  ].map((name): [string, MailHosts] => [`${name}.example`, NOT_ROUTABLE]),
])('mail for %s', async (domain, expected) => {
  expect(await findMailHosts(domain, dns)).toEqual(expected)
})

test('findMailHosts returns the ten most preferred of 1,500 hosts', async () => {
  const expected = Array.from({ length: 10 }, (_, n) => `${n + 1} m${1_499 - n}.two-mx.example`)
  expect(await findMailHosts('many-mx.example', dns)).toEqual(mx(...expected))
})

test('findMailHosts returns names in lower case', async () => {
  expect(await findMailHosts('shouting.example', hostileDns)).toEqual(mx('10 mx.shouting.example'))
})

test('findMailHosts returns the same hosts in the same order every time', async () => {
  const found = await Promise.all(Array.from({ length: 50 }, () => findMailHosts('equal-mx.example', dns)))
  expect(new Set(found.map((mail) => JSON.stringify(mail))).size).toBe(1)
})

/** The behaviors of the DNS server, and the result of a lookup if the MX query has that behavior. */
const WORDS = ['truth', 'nodata', 'nxdomain', 'servfail', 'refused', 'garbage', 'alias-only'] as const
const FAILURE: Partial<Record<(typeof WORDS)[number], MailHosts>> = {
  servfail: failed('servfail'),
  refused: failed('refused'),
  garbage: failed('malformed'),
  'alias-only': failed('unresolved_alias'),
}

const COMBINATIONS = WORDS.flatMap((ofMx) =>
  WORDS.flatMap((ofA) => WORDS.map((ofAaaa) => [ofMx, ofA, ofAaaa] as const)),
)

function expectedOf([ofMx, ofA, ofAaaa]: (typeof COMBINATIONS)[number], domain: string): MailHosts {
  if (ofMx === 'truth') return mx(`10 mx.${domain}`)
  if (FAILURE[ofMx]) return FAILURE[ofMx]
  const hasAddress = ofA === 'truth' || ofAaaa === 'truth'
  if (hasAddress) return ofMx === 'nodata' ? itself(domain) : failed('inconsistent')
  if (FAILURE[ofA]) return FAILURE[ofA]
  if (FAILURE[ofAaaa]) return FAILURE[ofAaaa]
  if (ofA !== ofMx || ofAaaa !== ofMx) return failed('inconsistent')
  return ofMx === 'nodata' ? NO_SERVER : NOT_FOUND
}

test(`findMailHosts returns "none" only when all three record types are equally absent (${COMBINATIONS.length} combinations)`, async () => {
  const semaphore = createSemaphore(50) // more would exceed the buffer of one socket
  const outcomes = await Promise.all(
    COMBINATIONS.map(async (words) => {
      const domain = `types--${words.join('--')}.example`
      const found = await semaphore(() => findMailHosts(domain, hostileDns))
      return { domain, found, expected: expectedOf(words, domain) }
    }),
  )
  expect(outcomes.map(({ domain, found }) => [domain, found])).toEqual(
    outcomes.map(({ domain, expected }) => [domain, expected]),
  )
  const none = outcomes.filter(({ found }) => found.kind === 'none').map(({ domain }) => domain)
  expect(none).toEqual(['types--nodata--nodata--nodata.example', 'types--nxdomain--nxdomain--nxdomain.example'])
})

test('findMailHosts ignores a negative response that the next response contradicts', async () => {
  for (let n = 0; n < 6; n++) {
    const kinds = await Promise.all(
      [
        'flapping-nxdomain',
        'mostly-nxdomain',
        'flapping-nodata',
        'late-flapping-nodata',
        'nxdomain-or-nodata',
        'nxdomain-then-nodata',
      ].map(async (name) => (await findMailHosts(`${name}.example`, hostileDns)).kind),
    )
    expect(kinds).not.toContain('none')
  }
})
