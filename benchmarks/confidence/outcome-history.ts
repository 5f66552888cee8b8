import { looksMachineGenerated, plausibilityOf } from '@probity/engine/address/plausibility'
import { SHAPES, shapeOf } from '@probity/engine/address/shape'
import { estimateDeliverability, type History } from '@probity/engine/verdict/deliverability'
import { FAMILY_NAMES, GIVEN_NAMES } from '@probity/lab/simulation/data/words'
import { openRandom, type Random } from '@probity/lab/simulation/random'
import { type Claim, calibrationError, reliability } from './figures.ts'

/** The properties of catch-all domains, and the share of outcomes that is reported. */
export type Conditions = {
  seed: number
  /** The share of domains that deliver to every address. */
  swallow: number
  /** The mean share of existing addresses at other domains. */
  good: number
  /** Shares of bad addresses: auto-generated, and guessed from a name. The rest are typos and former employees. */
  machine: number
  guess: number
  /** The share of reported bounces and deliveries, and whether the sent total is reported with them. */
  reported: { bounces: number; deliveries: number; withTotal: boolean }
}

const DOMAINS = 1_000
const MESSAGES = 80_000
/** Messages that are reported together. */
const CAMPAIGN = 500
/** Deliverability is evaluated over the last quarter, when the history has filled. */
const JUDGED_FROM = MESSAGES * 0.75
const DELIVERED = 0.99
const BOUNCED = 0.98

type Domain = { swallows: boolean; good: number; build: (person: Person) => string; history: History['domain'] }
type Person = { given: string; family: string }
type Message = { domain: Domain; local: string; delivered: boolean }

/**
 * The expected calibration error of deliverability at catch-all domains, in a simulation with known rules. The model
 * only learns from reported outcomes; its assumptions may match the simulation or differ.
 */
export function simulateCatchAll(conditions: Conditions): number {
  const random = openRandom(conditions.seed)
  const domains = Array.from({ length: DOMAINS }, () => makeDomain(random, conditions))
  const classes = { catch_all: { delivered: 0, bounced: 0, machine: 0 } }
  const claims: Claim[] = []
  for (let sent = 0; sent < MESSAGES; sent += CAMPAIGN) {
    const messages = Array.from({ length: CAMPAIGN }, () => makeMessage(random, domains, conditions))
    for (const message of messages) {
      const [p, happened] = [chanceOf(message, classes), message.delivered]
      if (sent >= JUDGED_FROM) claims.push({ p, happened, weight: 1 / (MESSAGES - JUDGED_FROM) })
    }
    report(random, messages, conditions.reported, classes.catch_all)
  }
  return calibrationError(reliability(claims))
}

function chanceOf({ domain, local }: Message, classes: History['classes']): number {
  const history = { domain: domain.history, classes, isTrusted: true }
  const text = { plausibility: plausibilityOf(local), shape: shapeOf(local) }
  return estimateDeliverability({ subStatus: 'catch_all', provider: '', history, text }).p
}

/** As in the API: with the sent total, each reported delivery also represents unreported ones. */
function report(
  random: Random,
  messages: Message[],
  { bounces, deliveries, withTotal }: Conditions['reported'],
  ofClass: { delivered: number; bounced: number; machine: number },
): void {
  const told = messages.filter(({ delivered }) => random.chance(delivered ? deliveries : bounces))
  const arrived = told.filter(({ delivered }) => delivered).length
  const weight = withTotal && arrived > 0 ? (messages.length - (told.length - arrived)) / arrived : 1
  for (const { domain, local, delivered } of told) {
    const { history } = domain
    if (!delivered) {
      history.bounced += 1
      ofClass.bounced += 1
      if (looksMachineGenerated(plausibilityOf(local))) ofClass.machine += 1
      continue
    }
    history.delivered += weight
    ofClass.delivered += weight
    const shapes = [...history.shapes]
    const at = SHAPES.indexOf(shapeOf(local))
    shapes[at] = (shapes[at] ?? 0) + weight
    history.shapes = shapes
  }
}

const BUILDS: Domain['build'][] = [
  ({ given, family }) => `${given}.${family}`,
  ({ given, family }) => `${given.slice(0, 1)}${family}`,
  ({ given }) => given,
  ({ given, family }) => `${given.slice(0, 1)}.${family}`,
  ({ given, family }) => `${given}_${family}`,
  ({ given, family }) => `${given}${family.length}`,
]

/** Few domains are all good or all bad: the share is distributed around the mean like that of three addresses. */
function makeDomain(random: Random, { swallow, good }: Conditions): Domain {
  const draws = [random.next(), random.next(), random.next()].filter((draw) => draw < good).length
  const history = { delivered: 0, bounced: 0, shapes: SHAPES.map(() => 0) }
  return {
    swallows: random.chance(swallow),
    good: (draws / 3 + good) / 2,
    build: random.pick(BUILDS),
    history,
  }
}

function makeMessage(random: Random, domains: Domain[], conditions: Conditions): Message {
  // a few domains get much mail and many get little
  const domain = domains[Math.floor(domains.length * random.next() ** 2)] as Domain
  const isGood = random.chance(domain.good)
  const local = isGood ? nameAt(random, domain) : badAt(random, domain, conditions)
  const arrives = domain.swallows || isGood ? DELIVERED : 1 - BOUNCED
  return { domain, local, delivered: random.chance(arrives) }
}

function nameAt(random: Random, { build }: Domain): string {
  const person = personOf(random)
  return random.chance(0.8) ? build(person) : random.pick(BUILDS)(person)
}

function badAt(random: Random, domain: Domain, { machine, guess }: Conditions): string {
  const draw = random.next()
  if (draw < machine) return machineMade(random)
  return draw < machine + guess ? random.pick(BUILDS.slice(0, 4))(personOf(random)) : nameAt(random, domain)
}

function personOf(random: Random): Person {
  return { given: random.pick(GIVEN_NAMES), family: random.pick(FAMILY_NAMES) }
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'

function machineMade(random: Random): string {
  return Array.from({ length: 8 + random.below(6) }, () => LETTERS[random.below(LETTERS.length)]).join('')
}
