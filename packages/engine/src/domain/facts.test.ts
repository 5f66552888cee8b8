import { withBigNames } from '@probity/lab/dns/big-names'
import { startHostileDns } from '@probity/lab/dns/hostile'
import { startDns } from '@probity/lab/dns/start'
import { afterAll, expect, test, vi } from 'vitest'
import { createDomainLookup, type DomainFacts, type FactsStore, openMemoryStore } from './facts.ts'
import { type MailDns, openResolver } from './resolver.ts'

const [real, hostile] = await Promise.all([startDns(withBigNames()), startHostileDns()])
afterAll(() => Promise.all([real.stop(), hostile.stop()]))

const dns = openResolver({ servers: [`127.0.0.1:${real.port}`] })
const hostileDns = openResolver({ servers: [`127.0.0.1:${hostile.port}`] })

const FORGETFUL: FactsStore = { get: async () => undefined, set: async () => {} }

/** A store that records entries and their TTL. */
function openRecordingStore() {
  const kept = new Map<string, { text: string; ttlMs: number }>()
  const store: FactsStore = {
    get: async (domain) => kept.get(domain)?.text,
    set: async (domain, text, ttlMs) => void kept.set(domain, { text, ttlMs }),
  }
  return { kept, store }
}

test('lookUp collects the DNS facts of a domain and the duration of each check', async () => {
  const { facts, source } = await createDomainLookup({ dns }).lookUp('Two-MX.example')
  const finding = { at: expect.closeTo(Date.now() / 1000, -1), ms: expect.any(Number) }
  expect(source).toBe('live')
  expect(facts).toEqual({
    domain: 'two-mx.example',
    mail: {
      kind: 'hosts',
      source: 'mx',
      hosts: [
        { name: 'mx1.two-mx.example', preference: 10 },
        { name: 'mx2.two-mx.example', preference: 20 },
      ],
    },
    spf: 'found',
    dmarc: 'found',
    provider: '',
    asked: [
      { check: 'mx', outcome: 'found', ...finding },
      { check: 'spf', outcome: 'found', ...finding },
      { check: 'dmarc', outcome: 'found', ...finding },
    ],
  })
  expect(facts.asked.every(({ ms }) => ms >= 0 && ms < 5_000)).toBe(true)
})

test('lookUp returns the provider', async () => {
  const { facts } = await createDomainLookup({ dns }).lookUp('google-hosted.example')
  expect(facts.provider).toBe('google')
})

test.concurrent.each<[string, Partial<DomainFacts>, string[]]>([
  ['null-mx.example', { spf: 'unasked', dmarc: 'unasked', provider: '' }, ['mx null_mx']],
  ['no-data.example', { spf: 'unasked', dmarc: 'unasked' }, ['mx no_mail_server']],
  ['absent.example', { spf: 'unasked', dmarc: 'unasked' }, ['mx domain_not_found']],
  ['servfail.example', { spf: 'failed', dmarc: 'failed' }, ['mx servfail']],
  ['silent.example', { spf: 'failed', dmarc: 'failed' }, ['mx timeout']],
  ['mx-zero.example', { spf: 'absent', dmarc: 'absent' }, ['mx not_routable', 'spf absent', 'dmarc absent']],
  ['spf-none.example', { spf: 'absent', dmarc: 'absent' }, ['mx found', 'spf absent', 'dmarc absent']],
  ['dmarc-servfail.example', { dmarc: 'failed' }, ['dmarc failed']],
])('lookUp of %s returns only facts that were queried', async (domain, expected, asked) => {
  const { facts } = await createDomainLookup({ dns }).lookUp(domain)
  expect(facts).toMatchObject(expected)
  expect(facts.asked.map(({ check, outcome }) => `${check} ${outcome}`)).toEqual(expect.arrayContaining(asked))
  if (facts.mail.kind !== 'hosts' && facts.mail.kind !== 'unroutable') expect(facts.asked).toHaveLength(1)
})

test('a thousand concurrent lookups of one domain share one set of queries', async () => {
  const lookup = createDomainLookup({ dns: hostileDns })
  const found = await Promise.all(Array.from({ length: 1_000 }, () => lookup.lookUp('mail.truth.example')))
  expect(new Set(found.map(({ facts }) => JSON.stringify(facts))).size).toBe(1)
  expect(found[0]?.facts).toMatchObject({ spf: 'found', dmarc: 'found' })
  expect(hostile.countQuestions('truth.example')).toBe(4)
})

test('a later lookup does not join a finished one', async () => {
  const lookup = createDomainLookup({ dns: hostileDns, store: FORGETFUL })
  const before = hostile.countQuestions('policy-truth.example')
  await lookup.lookUp('policy-truth.example')
  await lookup.lookUp('policy-truth.example')
  expect(hostile.countQuestions('policy-truth.example') - before).toBe(6)
})

test('a repeated domain lookup returns the cached facts', async () => {
  const lookup = createDomainLookup({ dns })
  const first = await lookup.lookUp('spf-bare.example')
  const before = await real.countQuestions()
  const second = await lookup.lookUp('SPF-bare.example')
  expect(second).toEqual({ facts: first.facts, source: 'cache' })
  expect((await real.countQuestions()).resolver).toBe(before.resolver)
})

test('domain lookups with a shared store use the same cache', async () => {
  const store = openMemoryStore()
  await createDomainLookup({ dns, store }).lookUp('equal-mx.example')
  expect((await createDomainLookup({ dns, store }).lookUp('equal-mx.example')).source).toBe('cache')
})

test.concurrent.each([
  ['two-mx.example', 3_600_000],
  ['spf-none.example', 3_600_000],
  ['a-only.example', 3_600_000],
  ['absent.example', 300_000],
  ['no-data.example', 300_000],
  ['null-mx.example', 300_000],
  ['mx-zero.example', 300_000],
  ['servfail.example', 10_000],
  ['alias-of-a.example', 10_000],
  ['dmarc-servfail.example', 10_000],
  ['too-long-txt.example', 10_000],
])('lookUp caches %s for %i ms', async (domain, ttlMs) => {
  const { kept, store } = openRecordingStore()
  await createDomainLookup({ dns, store }).lookUp(domain)
  await vi.waitFor(() => expect(kept.get(domain)?.ttlMs).toBe(ttlMs))
})

test('lookUp with a time factor of 60 caches an hour for a minute', async () => {
  const { kept, store } = openRecordingStore()
  await createDomainLookup({ dns, store, timeFactor: 60 }).lookUp('two-mx.example')
  await vi.waitFor(() => expect(kept.get('two-mx.example')?.ttlMs).toBe(60_000))
})

test.each<[string, FactsStore]>([
  ['rejects', { get: () => Promise.reject(new Error('down')), set: () => Promise.reject(new Error('down')) }],
  ['throws', { get: broken, set: broken }],
  ['never responds', { get: () => new Promise(() => {}), set: () => new Promise(() => {}) }],
  ['contains invalid JSON', { get: async () => '{"version":1,"facts":', set: async () => {} }],
  ['contains null', { get: async () => 'null', set: async () => {} }],
  [
    'contains another version',
    { get: async () => '{"version":0,"facts":{"domain":"two-mx.example"}}', set: async () => {} },
  ],
  ['contains another domain', { get: async () => '{"version":1,"facts":{"domain":"x.example"}}', set: async () => {} }],
  ['contains no facts', { get: async () => '{"version":1}', set: async () => {} }],
])('lookUp succeeds within 1.5 seconds when the store %s', { tags: ['timed'] }, async (_, store) => {
  const began = performance.now()
  const { facts, source } = await createDomainLookup({ dns, store }).lookUp('two-mx.example')
  expect(source).toBe('live')
  expect(facts).toMatchObject({ mail: { kind: 'hosts' }, spf: 'found' })
  expect(performance.now() - began).toBeLessThan(1_500)
})

function broken(): never {
  throw new Error('broken')
}

test('lookUp returns partial facts at its deadline and marks the rest as failed', { tags: ['timed'] }, async () => {
  const lookup = createDomainLookup({ dns: hostileDns, limits: { deadlineMs: 300 } })
  const began = performance.now()
  const [late, partly] = await Promise.all([
    lookup.lookUp('slow-900.example'),
    lookup.lookUp('policy-slow-900.example'),
  ])
  expect(performance.now() - began).toBeLessThan(800)
  expect(late.facts.mail).toEqual({ kind: 'unknown', reason: 'dns_failed', failure: 'timeout' })
  expect(partly.facts).toMatchObject({ mail: { kind: 'hosts' }, spf: 'failed', dmarc: 'failed' })
})

test('lookUp retries a lost query', async () => {
  const { facts } = await createDomainLookup({ dns: hostileDns }).lookUp('silence-then-truth.example')
  expect(facts.mail.kind).toBe('hosts')
})

test('lookUp stops at queriesMax queries', async () => {
  const lookup = createDomainLookup({ dns: hostileDns, limits: { queriesMax: 2 } })
  const { facts } = await lookup.lookUp('nodata.example')
  expect(facts.mail).toEqual({ kind: 'unknown', reason: 'dns_failed', failure: 'query_limit_reached' })
  expect(hostile.countQuestions('nodata.example')).toBe(2)
})

test('lookUp never exceeds queriesInFlightMax and completes all lookups', async () => {
  let open = 0
  let most = 0
  const watched = async <T>(question: Promise<T>) => {
    most = Math.max(most, ++open)
    return question.finally(() => open--)
  }
  const counting: MailDns = {
    resolveMx: (name) => watched(dns.resolveMx(name)),
    resolve4: (name) => watched(dns.resolve4(name)),
    resolve6: (name) => watched(dns.resolve6(name)),
    resolveTxt: (name) => watched(dns.resolveTxt(name)),
  }
  const lookup = createDomainLookup({ dns: counting, limits: { queriesInFlightMax: 7 } })
  const domains = Array.from({ length: 100 }, (_, n) => `n${n}.dmarc-organisation.example`)
  const found = await Promise.all(domains.map((domain) => lookup.lookUp(domain)))
  expect(found.map(({ facts }) => facts.mail)).toEqual(
    domains.map(() => ({ kind: 'none', reason: 'domain_not_found' })),
  )
  expect(most).toBe(7)
})

test('a query that waited beyond its deadline is not sent', async () => {
  const limits = { queriesInFlightMax: 1, deadlineMs: 200 }
  const lookup = createDomainLookup({ dns: hostileDns, store: FORGETFUL, limits })
  const [, waited] = await Promise.all([lookup.lookUp('slow-2500.example'), lookup.lookUp('repeats-itself.example')])
  expect(waited.facts.mail).toMatchObject({ kind: 'unknown', failure: 'timeout' })
  // The query in front times out after two seconds; by then the deadline of the second one has passed.
  await vi.waitFor(
    async () => expect((await lookup.lookUp('refused.example')).facts.mail).toMatchObject({ failure: 'refused' }),
    {
      timeout: 10_000,
      interval: 300,
    },
  )
  expect(hostile.countQuestions('repeats-itself.example')).toBe(0)
})

test('openMemoryStore expires entries and evicts the least recently used one when full', async () => {
  let time = 0
  const store = openMemoryStore({ entriesMax: 3, now: () => time })
  for (const domain of ['a', 'b', 'c']) await store.set(domain, domain, 100)
  await store.get('a')
  await store.set('d', 'd', 200)
  const all = () => Promise.all(['a', 'b', 'c', 'd'].map((domain) => store.get(domain)))
  expect(await all()).toEqual(['a', undefined, 'c', 'd'])
  time = 99
  expect(await store.get('a')).toBe('a')
  time = 100
  expect(await all()).toEqual([undefined, undefined, undefined, 'd'])
  await store.set('d', 'new', 50)
  expect(await store.get('d')).toBe('new')
})
