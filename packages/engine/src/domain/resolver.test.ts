import { startHostileDns } from '@probity/lab/dns/hostile'
import { afterAll, expect, test } from 'vitest'
import { openResolver, queryDns } from './resolver.ts'

const hostile = await startHostileDns()
const other = await startHostileDns()
afterAll(() => Promise.all([hostile.stop(), other.stop()]))

const dns = openResolver({ servers: [`127.0.0.1:${hostile.port}`] })

async function timed<T>(work: Promise<T>): Promise<{ answer: T; ms: number }> {
  const began = performance.now()
  const answer = await work
  return { answer, ms: performance.now() - began }
}

test('openResolver waits for a slow domain after fast responses for all others', async () => {
  let isBusy = true
  const traffic = (async () => {
    while (isBusy) await queryDns(dns.resolveMx('truth.example'))
  })()
  const slow = await Promise.all([1, 2, 3].map(() => queryDns(dns.resolveMx('slow-900.example'))))
  isBusy = false
  await traffic
  expect(slow.map(({ kind }) => kind)).toEqual(['records', 'records', 'records'])
})

test.each(['silent', 'tcp-silent', 'tcp-drip', 'slow-2500'])(
  'a query to %s fails at its timeout',
  { tags: ['timed'] },
  async (name) => {
    const { answer, ms } = await timed(queryDns(dns.resolveMx(`${name}.example`)))
    expect(answer).toEqual({ kind: 'failed', failure: 'timeout' })
    expect(ms).toBeGreaterThan(1_900)
    expect(ms).toBeLessThan(2_500)
  },
)

test.each([
  ['servfail', 'servfail'],
  ['refused', 'refused'],
  ['notimp', 'refused'],
  ['garbage', 'malformed'],
  ['formerr', 'malformed'],
  ['tcp-hangs-up', 'unreachable'],
  ['alias-loop', 'unresolved_alias'],
])('queryDns reports %s as %s', async (name, failure) => {
  expect(await queryDns(dns.resolveMx(`${name}.example`))).toEqual({ kind: 'failed', failure })
})

test('queryDns distinguishes an unreachable resolver, a canceled query and an invalid name', async () => {
  const nowhere = openResolver({ servers: ['127.0.0.1:1'] })
  expect(await queryDns(nowhere.resolveMx('truth.example'))).toEqual({ kind: 'failed', failure: 'unreachable' })
  expect(await queryDns(dns.resolveMx('a..b'))).toEqual({ kind: 'failed', failure: 'bad_name' })
  const cancelled = Promise.reject(Object.assign(new Error('queryMx'), { code: 'ECANCELLED' }))
  expect(await queryDns(cancelled)).toEqual({ kind: 'failed', failure: 'canceled' })
  expect(await queryDns(Promise.reject(new Error('no code')))).toEqual({ kind: 'failed', failure: 'other' })
  const odd = Promise.reject(Object.assign(new Error('odd'), { code: 'toString' }))
  expect(await queryDns(odd)).toEqual({ kind: 'failed', failure: 'other' })
})

test('openResolver queries several servers in turn', async () => {
  const both = openResolver({ servers: [hostile.port, other.port].map((port) => `127.0.0.1:${port}`) })
  const before = hostile.countQuestions('truth.example')
  for (let n = 0; n < 6; n++) await both.resolveMx('truth.example')
  expect(other.countQuestions('truth.example')).toBe(3)
  expect(hostile.countQuestions('truth.example') - before).toBe(3)
})

test.each(['tcp-silent', 'tcp-garbage', 'tcp-hangs-up', 'tcp-truncated-too', 'tcp-truth', 'silent', 'garbage'])(
  'a query sends at most two messages to %s',
  async (name) => {
    const before = hostile.countQuestions(`${name}.example`)
    await queryDns(dns.resolveMx(`${name}.example`))
    expect(hostile.countQuestions(`${name}.example`) - before).toBeLessThanOrEqual(2)
  },
)
