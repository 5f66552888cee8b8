import { BEHAVIOURS, type Behaviour, type BehaviourName, type HostPlan, type HostRules } from './data/behaviours.ts'
import type { SiteName } from './data/sites.ts'
import { FIRST_WORDS, SECOND_WORDS } from './data/words.ts'
import { HARD_BEHAVIOURS, type HardBehaviourName } from './data/worlds.ts'
import type { Random } from './random.ts'

export type SimulatedHost = {
  name: string
  preference: number
  where: 'site' | 'closed' | 'private' | 'ipv6'
  /** How it differs from the other hosts of the domain. */
  rules?: HostRules
}

export type SimulatedDomain = {
  name: string
  behaviour: BehaviourName | HardBehaviourName
  provider: string
  /** The site whose servers reply; null when none do. */
  site: SiteName | null
  hosts: SimulatedHost[]
  /** The share of undeliverable addresses. */
  badShare: number
}

const ALL_BEHAVIOURS: Record<BehaviourName | HardBehaviourName, Behaviour> = { ...BEHAVIOURS, ...HARD_BEHAVIOURS }

export function behaviourOf(domain: { behaviour: BehaviourName | HardBehaviourName }): Behaviour {
  return ALL_BEHAVIOURS[domain.behaviour]
}

/** The site at which a host of a domain runs; null when no server runs there. */
export function siteOf({ site }: SimulatedDomain, { where, rules }: SimulatedHost): SiteName | null {
  return where === 'site' ? (rules?.site ?? site) : null
}

const NAMES = Object.keys(BEHAVIOURS) as BehaviourName[]
const MADE_UP = NAMES.filter((behaviour) => domainsOf(behaviour) === undefined)
const GIVEN_COUNT = NAMES.reduce((sum, behaviour) => sum + (domainsOf(behaviour)?.length ?? 0), 0)

/** With fewer domains, some behavior would have none. */
export const DOMAINS_MIN = GIVEN_COUNT + MADE_UP.length

/** The domains with fixed names, then the generated ones: at least one of each behavior, the rest by weight. */
export function makeDomains(random: Random, count: number): SimulatedDomain[] {
  if (count < DOMAINS_MIN) throw new RangeError(`A world has at least ${DOMAINS_MIN} domains, not ${count}.`)

  const given = NAMES.flatMap((behaviour) => (domainsOf(behaviour) ?? []).map((name) => ({ name, behaviour })))
  const behaviours = spread(count - GIVEN_COUNT)
  random.shuffle(behaviours)
  const names = makeNames(random, behaviours.length)
  const madeUp = behaviours.map((behaviour, n) => ({ name: names[n] ?? '', behaviour }))
  return [...given, ...madeUp].map(({ name, behaviour }) => makeDomain(random, name, behaviour))
}

function domainsOf(behaviour: BehaviourName): readonly string[] | undefined {
  return (BEHAVIOURS[behaviour] as Behaviour).domains
}

function spread(count: number): BehaviourName[] {
  const total = MADE_UP.reduce((sum, behaviour) => sum + BEHAVIOURS[behaviour].weight, 0)
  const left = count - MADE_UP.length
  let sum = 0
  return MADE_UP.flatMap((behaviour) => {
    const before = Math.floor((sum / total) * left)
    sum += BEHAVIOURS[behaviour].weight
    return Array.from({ length: 1 + Math.floor((sum / total) * left) - before }, () => behaviour)
  })
}

function makeNames(random: Random, count: number): string[] {
  const names = new Set<string>()
  while (names.size < count) {
    const words = `${random.pick(FIRST_WORDS)}-${random.pick(SECOND_WORDS)}`
    names.add(names.has(`${words}.example`) ? `${words}-${names.size}.example` : `${words}.example`)
  }
  return [...names]
}

function makeDomain(random: Random, name: string, behaviour: BehaviourName): SimulatedDomain {
  const { provider, site = null, hosts = [], bad: [least, most] = [0, 0.4] } = BEHAVIOURS[behaviour] as Behaviour
  return {
    name,
    behaviour,
    provider,
    site,
    hosts: makeHosts(hosts, name),
    badShare: least + random.next() * (most - least),
  }
}

export function makeHosts(plans: readonly HostPlan[], domain: string): SimulatedHost[] {
  return plans.map(([preference, template, at]) => {
    const name = template.replace('{domain}', domain).replace('{dashed}', domain.replaceAll('.', '-'))
    if (typeof at === 'object') return { name, preference, where: 'site', rules: at }
    return { name, preference, where: at ?? 'site' }
  })
}
