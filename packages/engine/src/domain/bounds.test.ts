import { LYING, UNRELIABLE } from '@probity/lab/dns/behaviours'
import { withBigNames } from '@probity/lab/dns/big-names'
import { startHostileDns } from '@probity/lab/dns/hostile'
import { startDns } from '@probity/lab/dns/start'
import { afterAll, expect, test } from 'vitest'
import { createDomainLookup } from './facts.ts'
import { openResolver } from './resolver.ts'

/** What a look-up may cost, whatever it meets. */
const MESSAGES_MAX = 12
const TIME_MAX_MS = 5_500

const [real, hostile] = await Promise.all([startDns(withBigNames()), startHostileDns()])
afterAll(() => Promise.all([real.stop(), hostile.stop()]))

const STAGES = ['', 'late-', 'policy-']
const UNRELIABLE_CASES = STAGES.flatMap((stage) => Object.keys(UNRELIABLE).map((name) => `${stage}${name}`))
const LYING_CASES = STAGES.flatMap((stage) => Object.keys(LYING).map((name) => `${stage}${name}`))

/** Looks a domain up that has all questions to ask, with nothing remembered from before. */
async function lookUp(name: string) {
  const domain = `mail.${name}.example`
  const desk = createDomainLookup({ dns: openResolver({ servers: [`127.0.0.1:${hostile.port}`] }) })
  const before = hostile.countQuestions(domain)
  const began = performance.now()
  const { facts } = await desk.lookUp(domain)
  return { name, facts, ms: performance.now() - began, messages: hostile.countQuestions(domain) - before }
}

test(`costs at most ${MESSAGES_MAX} messages and ${TIME_MAX_MS} ms, in ${UNRELIABLE_CASES.length + LYING_CASES.length} cases`, {
  tags: ['timed'],
}, async () => {
  const outcomes = await Promise.all([...UNRELIABLE_CASES, ...LYING_CASES].map(lookUp))
  expect(outcomes.filter(({ messages }) => messages === 0)).toEqual([])
  expect(outcomes.filter(({ messages }) => messages > MESSAGES_MAX)).toEqual([])
  expect(outcomes.filter(({ ms }) => ms > TIME_MAX_MS)).toEqual([])
})

test(`never says that there is no mail because DNS fails or flaps, in ${UNRELIABLE_CASES.length} cases, again and again`, {
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

test('finds the mail host wherever the truth comes through in time', async () => {
  const honest = ['truth', 'tcp-truth', 'slow-900', 'repeats-itself', 'tcp-huge', 'silence-then-truth']
  for (const { name, facts } of await Promise.all(honest.map(lookUp))) {
    expect({ name, kind: facts.mail.kind }).toEqual({ name, kind: 'hosts' })
  }
  expect((await lookUp('tcp-truth')).facts).toMatchObject({ spf: 'found', dmarc: 'found' })
})

test('asks a real resolver no more either, whatever is in the zone', { tags: ['timed'] }, async () => {
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
