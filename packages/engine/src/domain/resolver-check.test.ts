import { type Lie, startLyingResolver } from '@probity/lab/dns/lying'
import { startDns } from '@probity/lab/dns/start'
import { freePort } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { afterAll, expect, test } from 'vitest'
import { PUBLIC_NAMES } from './data/known-domains.ts'
import { createDomainLookup, openMemoryStore } from './facts.ts'
import { openResolver, queryDns } from './resolver.ts'
import { checkServer, createResolverCheck, type ResolverState, rejectUntrusted } from './resolver-check.ts'

const honest = await startDns()
afterAll(() => honest.stop())
const HONEST = `127.0.0.1:${honest.port}`

/** A lookup over a resolver that may lie, with its check and a clock. */
async function openLookup(lie: Lie = 'truth', { others = [] as string[], store = openMemoryStore() } = {}) {
  const resolver = await startLyingResolver(honest.port, lie)
  whenDone(() => resolver.stop())
  const clock = { ms: 0 }
  const now = () => Date.now() + clock.ms
  const reports: ResolverState['kind'][] = []
  const servers = [resolver.server, ...others]
  const resolverCheck = createResolverCheck({
    servers,
    names: PUBLIC_NAMES,
    report: ({ kind }) => reports.push(kind),
    now,
  })
  // Short, so that a silent resolver does not slow the tests down.
  const dns = openResolver({ servers: [resolver.server], timeoutMs: 500 })
  const open = () => createDomainLookup({ dns, resolverCheck, store })
  const lookup = open()
  const mailOf = async (domain: string) => (await lookup.lookUp(domain)).facts.mail
  return { resolver, resolverCheck, clock, reports, store, open, mailOf }
}

const NOT_FOUND = { kind: 'none', reason: 'domain_not_found' }
const UNTRUSTED = { kind: 'unknown', reason: 'dns_failed', failure: 'resolver_untrusted' }

/** Domains of every kind: absent, without mail, with a mail host, with their own address, and large providers. */
const DOMAINS = ['absent.example', 'no-data.example', 'two-mx.example', 'a-only.example', ...PUBLIC_NAMES.mailDomains]

test('checkServer finds no fault in an honest resolver, for every name of the table', async () => {
  expect(await checkServer(HONEST, PUBLIC_NAMES)).toEqual([])
})

test.each<[Lie, string[]]>([
  ['nxdomain', ['org unresolved no_name', 'gmail.com unresolved no_name']],
  ['servfail', ['org failed servfail', 'random failed servfail', 'gmail.com failed servfail']],
  ['wildcard', ['org unresolved no_data', 'random invented records', 'gmail.com unresolved no_data']],
  ['silence', ['org failed timeout', 'random failed timeout', 'gmail.com failed timeout']],
])('checkServer names the faults of a resolver that says %s about every name', async (lie, expected) => {
  const { resolver } = await openLookup(lie)
  const faults = await checkServer(resolver.server, { ...PUBLIC_NAMES, mailDomains: ['gmail.com'] })
  const said = faults.map(({ name, kind, saw }) => `${name.replace(/^[0-9a-f]{32}\.com$/, 'random')} ${kind} ${saw}`)
  expect(said).toEqual(expected)
})

test.each<Lie>(['nxdomain', 'servfail', 'wildcard', 'silence'])(
  'no domain lacks mail servers, and no address stands in for one, when the resolver says %s about every name',
  async (lie) => {
    const { mailOf } = await openLookup(lie)
    for (const mail of await Promise.all(DOMAINS.map(mailOf))) {
      expect(mail).toMatchObject({ kind: 'unknown', reason: 'dns_failed' })
    }
  },
)

test('an honest resolver is trusted, and absent domains are absent', async () => {
  const { mailOf, resolverCheck, reports } = await openLookup()
  expect(await mailOf('absent.example')).toEqual(NOT_FOUND)
  expect(await mailOf('no-data.example')).toEqual({ kind: 'none', reason: 'no_mail_server' })
  expect(await mailOf('a-only.example')).toMatchObject({ kind: 'hosts', source: 'address' })
  expect([resolverCheck.state().kind, reports]).toEqual(['trusted', ['trusted']])
})

test('one lying server of several is enough, because lookups rotate over them', async () => {
  const liar = await openLookup('nxdomain')
  const { mailOf } = await openLookup('truth', { others: [liar.resolver.server] })
  expect(await mailOf('absent.example')).toEqual(UNTRUSTED)
  expect(await mailOf('two-mx.example')).toMatchObject({ kind: 'hosts', source: 'mx' })
})

test('a resolver that nothing listens at is not trusted', async () => {
  const check = createResolverCheck({ servers: [`127.0.0.1:${await freePort()}`], names: PUBLIC_NAMES })
  expect(await check.isTrusted()).toBe(false)
})

test('concurrent calls share one check of five queries, which counts for a minute, and a failed one for ten seconds', async () => {
  const { resolver, resolverCheck, clock, reports } = await openLookup()
  const isTrusted = () => resolverCheck.isTrusted()
  expect(await Promise.all(Array.from({ length: 100 }, isTrusted))).toEqual(Array(100).fill(true))
  expect(resolver.countQuestions()).toBe(5)
  resolver.say('nxdomain')
  clock.ms = 59_000
  expect([await isTrusted(), resolver.countQuestions()]).toEqual([true, 5])
  clock.ms = 61_000
  expect([await isTrusted(), resolver.countQuestions()]).toEqual([false, 10])
  resolver.say('truth')
  clock.ms = 70_000
  expect([await isTrusted(), resolver.countQuestions()]).toEqual([false, 10])
  clock.ms = 72_000
  expect([await isTrusted(), reports]).toEqual([true, ['trusted', 'untrusted', 'trusted']])
})

test('a check of a silent resolver ends within its limit', { tags: ['timed'] }, async () => {
  const { resolverCheck } = await openLookup('silence')
  const began = performance.now()
  expect(await resolverCheck.isTrusted()).toBe(false)
  expect(performance.now() - began).toBeLessThan(3_500)
})

test('a missing mail server of a large provider is never believed, and ends the trust at once', async () => {
  const { resolver, mailOf, resolverCheck } = await openLookup()
  expect(await mailOf('absent.example')).toEqual(NOT_FOUND)
  resolver.say('nxdomain')
  expect(await mailOf('gmail.com')).toEqual(UNTRUSTED)
  expect(resolverCheck.state()).toMatchObject({ kind: 'untrusted', faults: [{ name: 'gmail.com' }] })
  expect(await mailOf('also-absent.example')).toEqual(UNTRUSTED)
})

test('a lie that is noted during a check outweighs the check', async () => {
  const { resolverCheck } = await openLookup()
  const running = resolverCheck.isTrusted()
  resolverCheck.noteMissingMx('gmail.com')
  expect([await running, resolverCheck.state().kind]).toEqual([false, 'untrusted'])
})

test('rejectUntrusted fails queries for the address of a mail host, and spares TXT', async () => {
  const { resolver, resolverCheck } = await openLookup('nxdomain')
  const dns = rejectUntrusted(openResolver({ servers: [resolver.server] }), resolverCheck)
  const untrusted = { kind: 'failed', failure: 'resolver_untrusted' }
  expect(await queryDns(dns.resolve4('mx1.two-mx.example'))).toEqual(untrusted)
  expect(await queryDns(dns.resolve6('mx1.two-mx.example'))).toEqual(untrusted)
  expect(await queryDns(dns.resolveTxt('two-mx.example'))).toEqual({ kind: 'no_name' })
})

test('absences are stored only while the resolver is trusted, and not used after it failed', async () => {
  const store = openMemoryStore()
  const { resolver, mailOf, clock, resolverCheck, open } = await openLookup('truth', { store })
  expect(await mailOf('absent.example')).toEqual(NOT_FOUND)
  expect((await open().lookUp('absent.example')).source).toBe('cache')

  // The lie of the first minute is stored. It is not used while the check fails, nor after it passes again.
  resolver.say('nxdomain')
  expect(await mailOf('two-mx.example')).toEqual(NOT_FOUND)
  clock.ms = 61_000
  expect(await mailOf('two-mx.example')).toEqual(UNTRUSTED)
  expect(await mailOf('equal-mx.example')).toEqual(UNTRUSTED)
  expect([await store.get('equal-mx.example'), resolverCheck.state().kind]).toEqual([undefined, 'untrusted'])
  resolver.say('truth')
  clock.ms = 72_000
  expect(await mailOf('two-mx.example')).toMatchObject({ kind: 'hosts', source: 'mx' })
  expect(await mailOf('equal-mx.example')).toMatchObject({ kind: 'hosts', source: 'mx' })
})
