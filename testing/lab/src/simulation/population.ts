import type { BehaviourName, Existence, SpecialRecipients } from './data/behaviours.ts'
import { BROKEN, FAMILY_NAMES, GIVEN_NAMES } from './data/words.ts'
import type { HardBehaviourName } from './data/worlds.ts'
import { behaviourOf, makeDomains, type SimulatedDomain } from './domains.ts'
import { type Expectation, expectationOf } from './expected.ts'
import { makeLocalPart } from './local-part.ts'
import { openRandom, type Random } from './random.ts'

export type SimulatedAddress = {
  email: string
  exists: Existence
  behaviour: BehaviourName | HardBehaviourName | 'broken'
  /** How its server treats it, if differently from all others. */
  special?: SpecialRecipients
}

/** Domains and addresses as in a real list, and the expected verdict of each. */
export type MailPopulation = {
  seed: number
  domains: SimulatedDomain[]
  /** In list order: shuffled, without duplicates. */
  addresses: SimulatedAddress[]
  findDomain(name: string): SimulatedDomain | undefined
  /** Undefined for an address that is not on the list, such as a control recipient. */
  findAddress(email: string): SimulatedAddress | undefined
  /** For any address, listed or not. */
  truth(email: string): Existence
  expected(email: string): Expectation
}

export type SimulationSize = { seed: number; domains: number; addresses: number }

/** Shares of all addresses; the remainder is at businesses, clubs and smaller providers. */
const SHARES = { broken: 0.003, typo: 0.015, disposable: 0.01, large: 0.6 }

/** The distribution of undeliverable mailboxes by state, at servers that distinguish the states. */
const FAULTS: [Existence, number][] = [
  ['full', 0.08],
  ['disabled', 0.09],
  ['moved', 0.03],
]

/** The same seed and size create the same population, byte for byte. */
export function createMailPopulation({
  seed,
  domains: domainCount,
  addresses: addressCount,
}: SimulationSize): MailPopulation {
  const random = openRandom(seed)
  const domains = makeDomains(random, domainCount)
  const known = new Map<string, SimulatedAddress>()
  addBroken(random, known, Math.round(addressCount * SHARES.broken))
  for (const [domain, count] of share(domains, addressCount)) addAddresses(random, known, domain, count)
  const addresses = [...known.values()]
  random.shuffle(addresses)
  return openPopulation(seed, domains, addresses)
}

/** A population of these domains, and of these addresses in this order. */
export function openPopulation(
  seed: number,
  domains: SimulatedDomain[],
  addresses: SimulatedAddress[],
): MailPopulation {
  const known = new Map(addresses.map((address) => [keyOf(address.email), address]))
  const findAddress = (email: string) => known.get(keyOf(email))
  const byName = new Map(domains.map((domain) => [domain.name, domain]))
  const findDomain = (name: string) => byName.get(name)
  const truth = (email: string): Existence => {
    const address = findAddress(email)
    if (address !== undefined) return address.exists
    const domain = findDomain(domainIn(email))
    return (domain && behaviourOf(domain).everyAddress) ?? 'no'
  }
  const expected = (email: string) => {
    const { behaviour, special } = findAddress(email) ?? {}
    const domain = behaviour === 'broken' ? 'broken' : findDomain(domainIn(email))
    return expectationOf({ email, exists: truth(email), special }, domain)
  }
  return { seed, domains, addresses, findDomain, findAddress, truth, expected }
}

/** In lower case, since a list contains `Info@` and `info@` of the same mailbox. */
function keyOf(email: string): string {
  return email.toLowerCase().normalize('NFC')
}

export function domainIn(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase()
}

/** The number of addresses of each domain. */
function share(domains: SimulatedDomain[], count: number): [SimulatedDomain, number][] {
  const ofGroup = (group: string) => domains.filter((domain) => behaviourOf(domain).group === group)
  const large = ofGroup('large')
  const weights = large.map((domain) => behaviourOf(domain).weight / (behaviourOf(domain).domains?.length ?? 1))
  const [broken, typo, disposable, ofLarge] = [SHARES.broken, SHARES.typo, SHARES.disposable, SHARES.large].map(
    (part) => Math.round(count * part),
  ) as [number, number, number, number]
  return [
    ...divide(large, weights, ofLarge),
    ...divide(ofGroup('typo'), ...byRank(ofGroup('typo'), typo)),
    ...divide(ofGroup('disposable'), ...byRank(ofGroup('disposable'), disposable)),
    ...divide(ofGroup('tail'), ...byRank(ofGroup('tail'), count - broken - typo - disposable - ofLarge)),
  ]
}

/** A long tail: the first domain has many addresses, and few have none. */
function byRank(domains: SimulatedDomain[], total: number): [number[], number] {
  return [domains.map((_, rank) => (rank + 20) ** -0.7), total]
}

function divide(domains: SimulatedDomain[], weights: number[], total: number): [SimulatedDomain, number][] {
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  let sum = 0
  return domains.map((domain, n) => {
    const before = Math.round((sum / all) * total)
    sum += weights[n] ?? 0
    return [domain, Math.round((sum / all) * total) - before]
  })
}

function addAddresses(
  random: Random,
  known: Map<string, SimulatedAddress>,
  domain: SimulatedDomain,
  count: number,
): void {
  const { group, replies = {}, everyAddress, utf8: utf8Share = 0 } = behaviourOf(domain)
  const isFirm = group === 'tail' && domain.name.endsWith('.example')
  for (let n = 0; n < count; n += 1) {
    const local = makeLocalPart(random, { isFirm, utf8Share })
    const exists = everyAddress ?? (random.chance(domain.badShare) ? drawFault(random, replies) : 'yes')
    const name = random.chance(0.01) ? domain.name.toUpperCase() : domain.name
    add(known, (suffix) => `${local}${suffix}@${name}`, { exists, behaviour: domain.behaviour })
  }
}

function drawFault(random: Random, replies: Partial<Record<Existence, string>>): Existence {
  let draw = random.next()
  for (const [fault, probability] of FAULTS) {
    if (replies[fault] === undefined) continue
    if (draw < probability) return fault
    draw -= probability
  }
  return 'no'
}

function addBroken(random: Random, known: Map<string, SimulatedAddress>, count: number): void {
  for (let n = 0; n < count; n += 1) {
    const [a, b] = [random.pick(GIVEN_NAMES), random.pick(FAMILY_NAMES)]
    const template = random.pick(BROKEN)
    const write = (suffix: string) => template.replaceAll('{a}', a).replaceAll('{b}', `${b}${suffix}`)
    add(known, write, { exists: 'no', behaviour: 'broken' })
  }
}

/** The first user of a name gets it unchanged; later ones get a number, as at every provider. */
function add(
  known: Map<string, SimulatedAddress>,
  write: (suffix: string) => string,
  about: Omit<SimulatedAddress, 'email'>,
): void {
  let email = write('')
  for (let number = 2; known.has(keyOf(email)); number += 1) email = write(String(number))
  known.set(keyOf(email), { email, ...about })
}
