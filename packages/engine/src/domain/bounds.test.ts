import { LYING, UNRELIABLE } from '@probity/lab/dns/behaviours'
import { withBigNames } from '@probity/lab/dns/big-names'
import { startHostileDns } from '@probity/lab/dns/hostile'
import { startDns } from '@probity/lab/dns/start'
import { afterAll, expect, test } from 'vitest'
import { createDomainLookup } from './facts.ts'
import { openResolver } from './resolver.ts'

/** Limits of one lookup, whatever DNS responds. */
const MESSAGES_MAX = 12
const TIME_MAX_MS = 5_500

const [real, hostile] = await Promise.all([startDns(withBigNames()), startHostileDns()])
afterAll(() => Promise.all([real.stop(), hostile.stop()]))

const STAGES = ['', 'late-', 'policy-']
const UNRELIABLE_CASES = STAGES.flatMap((stage) => Object.keys(UNRELIABLE).map((name) => `${stage}${name}`))
const LYING_CASES = STAGES.flatMap((stage) => Object.keys(LYING).map((name) => `${stage}${name}`))

/** Looks up a domain that needs all queries, without a cache. */
async function lookUp(name: string) {
  const domain = `mail.${name}.example`
  const desk = createDomainLookup({ dns: openResolver({ servers: [`127.0.0.1:${hostile.port}`] }) })
  const before = hostile.countQuestions(domain)
  const began = performance.now()
  const { facts } = await desk.lookUp(domain)
  return { name, facts, ms: performance.now() - began, messages: hostile.countQuestions(domain) - before }
}

test(`lookUp sends at most ${MESSAGES_MAX} messages within ${TIME_MAX_MS} ms, in ${UNRELIABLE_CASES.length + LYING_CASES.length} cases`, {
  tags: ['timed'],
}, async () => {
  const outcomes = await Promise.all([...UNRELIABLE_CASES, ...LYING_CASES].map(lookUp))
  expect(outcomes.filter(({ messages }) => messages === 0)).toEqual([])
  expect(outcomes.filter(({ messages }) => messages > MESSAGES_MAX)).toEqual([])
  expect(outcomes.filter(({ ms }) => ms > TIME_MAX_MS)).toEqual([])
})

test(`lookUp never returns "none" when DNS fails or flaps, in ${UNRELIABLE_CASES.length} cases`, {
  tags: ['timed'],
}, async () => {
  const rounds = UNRELIABLE_CASES.map(async (name) => {
    const outcomes = []
    const until = performance.now() + 12_000
    while (outcomes.length < 12 && performance.now() < until) outcomes.push(await lookUp(name))
    return outcomes
  })
  const outcomes = (await Promise.all(rounds)).flat()
  expect(outcomes.length).toBeGreaterThan(3 * UNRELIABLE_CASES.length)
  expect(outcomes.filter(({ facts }) => facts.mail.kind === 'none')).toEqual([])
  expect(outcomes.filter(({ messages, ms }) => messages > MESSAGES_MAX || ms > TIME_MAX_MS)).toEqual([])
})

test('lookUp finds the mail host when the correct response arrives in time', async () => {
  const honest = ['truth', 'tcp-truth', 'slow-900', 'repeats-itself', 'tcp-huge', 'silence-then-truth']
  for (const { name, facts } of await Promise.all(honest.map(lookUp))) {
    expect({ name, kind: facts.mail.kind }).toEqual({ name, kind: 'hosts' })
  }
  expect((await lookUp('tcp-truth')).facts).toMatchObject({ spf: 'found', dmarc: 'found' })
})

test('lookUp stays within the message limit with a real resolver, for every zone', { tags: ['timed'] }, async () => {
  const desk = createDomainLookup({ dns: openResolver({ servers: [`127.0.0.1:${real.port}`] }) })
  const names = [
    'two-mx',
    'many-mx',
    'too-many-mx',
    'too-long-txt',
    'absent',
    'no-data',
    'alias-chain',
    'alias-loop',
    'servfail',
  ]
  for (const name of names) {
    const before = await real.countQuestions()
    const began = performance.now()
    await desk.lookUp(`${name}.example`)
    const after = await real.countQuestions()
    expect(after.resolver - before.resolver).toBeLessThanOrEqual(MESSAGES_MAX)
    expect(after.authority - before.authority).toBeLessThanOrEqual(MESSAGES_MAX)
    expect(performance.now() - began).toBeLessThan(TIME_MAX_MS)
  }
})
