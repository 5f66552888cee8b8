import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { BEHAVIOURS, type BehaviourName } from './data/behaviours.ts'
import { behaviourOf, DOMAINS_MIN } from './domains.ts'
import { createMailPopulation, type MailPopulation, type SimulatedAddress } from './population.ts'

const SIZE = { domains: 2_000, addresses: 100_000 }
const simulation = createMailPopulation({ seed: 1, ...SIZE })

function digest({ domains, addresses }: MailPopulation): string {
  return createHash('sha256')
    .update(JSON.stringify([domains, addresses]))
    .digest('hex')
}

function shareOf(isMeant: (address: SimulatedAddress) => boolean, among = simulation.addresses): number {
  return among.filter(isMeant).length / among.length
}

function groupOf({ behaviour }: SimulatedAddress): string {
  return behaviour === 'broken' ? 'broken' : behaviourOf({ behaviour }).group
}

test('the same seed creates the same population, and another seed another one', () => {
  const [one, same, other] = [1, 1, 2].map((seed) =>
    digest(createMailPopulation({ seed, domains: 500, addresses: 10_000 })),
  )
  expect(same).toBe(one)
  expect(other).not.toBe(one)
})

test('a population has the requested numbers of domains and addresses without duplicates', () => {
  expect(simulation.domains).toHaveLength(SIZE.domains)
  expect(new Set(simulation.domains.map(({ name }) => name)).size).toBe(SIZE.domains)
  expect(simulation.addresses).toHaveLength(SIZE.addresses)
  expect(new Set(simulation.addresses.map(({ email }) => email.toLowerCase())).size).toBe(SIZE.addresses)
})

test('every behavior has addresses at the usual size and a domain at the smallest size', () => {
  const names = Object.keys(BEHAVIOURS)
  expect(names.length).toBeGreaterThanOrEqual(25)
  expect(new Set(simulation.addresses.map(({ behaviour }) => behaviour))).toEqual(new Set([...names, 'broken']))

  const smallest = createMailPopulation({ seed: 1, domains: DOMAINS_MIN, addresses: 1_000 })
  expect(new Set(smallest.domains.map(({ behaviour }) => behaviour))).toEqual(new Set(names))
  expect(() => createMailPopulation({ seed: 1, domains: DOMAINS_MIN - 1, addresses: 1_000 })).toThrow(RangeError)
})

test.each([
  ['large', 0.6, 0.6],
  ['broken', 0.003, 0.003],
  ['typo', 0.01, 0.02],
  ['disposable', 0.005, 0.015],
  ['tail', 0.35, 0.4],
])('the share of the group %s among all addresses is between %d and %d', (group, least, most) => {
  const share = shareOf((address) => groupOf(address) === group)
  expect(share).toBeGreaterThanOrEqual(least)
  expect(share).toBeLessThanOrEqual(most)
})

test('about 8% of addresses at large providers are undeliverable, in the tail up to 40%', () => {
  for (const behaviour of ['gmail', 'outlook', 'yahoo', 'icloud', 'gmx']) {
    const there = simulation.addresses.filter((address) => address.behaviour === behaviour)
    const bad = shareOf(({ exists }) => exists !== 'yes', there)
    expect(bad, behaviour).toBeGreaterThan(0.065)
    expect(bad, behaviour).toBeLessThan(0.095)
  }
  const shares = simulation.domains.filter((domain) => behaviourOf(domain).group === 'tail').map((d) => d.badShare)
  expect(Math.min(...shares)).toBeLessThan(0.02)
  expect(Math.max(...shares)).toBeGreaterThan(0.38)
  expect(Math.max(...shares)).toBeLessThanOrEqual(0.4)
})

test('addresses look like those of real lists: roles, tags, digits, capitals and non-ASCII characters', () => {
  const looks = [/^info@/, /\+\w+@/, /\d@/, /^[A-Z.]+@/, /^[A-Z][a-z]+\.[A-Z][a-z]+@/, /@[A-Z-]+\.[A-Z]+$/, /[äöüßéñø]/]
  for (const look of looks)
    expect(
      shareOf(({ email }) => look.test(email)),
      String(look),
    ).toBeGreaterThan(0.0001)
})

test('truth ignores case, and unlisted addresses exist only at catch-all domains', () => {
  for (const { email, exists } of simulation.addresses.slice(0, 2_000)) {
    expect(simulation.truth(email.toUpperCase()), email).toBe(exists)
  }
  expect(simulation.truth('nobody-of-that-name@gmail.com')).toBe('no')
  expect(simulation.truth('nobody-of-that-name@mailinator.com')).toBe('yes')
})

/** An address of the behavior in this state. */
function find(behaviour: BehaviourName | 'broken', exists: string, isMeant = /^[ -~]+$/): string {
  const found = simulation.addresses.find(
    (one) => one.behaviour === behaviour && one.exists === exists && isMeant.test(one.email),
  )
  if (found === undefined) throw new Error(`No address of ${behaviour} is ${exists}`)
  return found.email
}

test.each<[BehaviourName | 'broken', string, string[], boolean, boolean]>([
  ['gmail', 'yes', ['valid '], true, true],
  ['gmail', 'no', ['invalid mailbox_not_found'], true, true],
  ['gmail', 'full', ['risky mailbox_full'], true, true],
  ['postfix', 'disabled', ['invalid mailbox_disabled'], true, true],
  ['postfix', 'moved', ['invalid mailbox_moved'], true, true],
  ['yahoo', 'yes', ['unknown provider_unverifiable'], false, false],
  ['microsoft365_hybrid', 'no', ['risky catch_all'], false, false],
  ['catch_all', 'yes', ['risky catch_all'], true, false],
  ['mox', 'no', ['risky catch_all', 'unknown provider_unverifiable'], false, false],
  ['disposable', 'yes', ['risky disposable'], true, false],
  ['blocked_at_rcpt', 'yes', ['unknown blocked'], true, false],
  ['no_such_domain', 'no', ['invalid domain_not_found'], true, true],
  ['broken', 'no', ['invalid syntax_error'], true, true],
])('the expected verdict of a %s address with state %s is %j', (behaviour, exists, verdicts, truthful, knowable) => {
  const expected = simulation.expected(find(behaviour, exists))
  expect(expected.verdicts.map(({ status, subStatus }) => `${status} ${subStatus}`)).toEqual(verdicts)
  expect(expected).toMatchObject({ truthful, knowable })
})

test('a non-ASCII local part has a verdict only when the server offers SMTPUTF8', () => {
  const beyond = /[^ -~]/
  expect(simulation.expected(find('no_smtputf8', 'yes', beyond)).verdicts[0]?.subStatus).toBe('smtputf8_unsupported')
  expect(simulation.expected(find('postfix', 'yes', beyond)).verdicts[0]?.subStatus).toBe('')
})

test('the expected verdict of an unknown domain is domain_not_found', () => {
  expect(simulation.expected('ada@not-of-this-world.example').verdicts[0]?.subStatus).toBe('domain_not_found')
})
