import { FAMILY_NAMES, GIVEN_NAMES } from './data/words.ts'
import { HARD_BEHAVIOURS, type HardBehaviourName, WORLDS, type World, type WorldName } from './data/worlds.ts'
import { behaviourOf, makeHosts, type SimulatedDomain } from './domains.ts'
import { type MailPopulation, openPopulation, type SimulatedAddress } from './population.ts'
import { hashText, openRandom, type Random } from './random.ts'

export const WORLD_NAMES = Object.keys(WORLDS) as WorldName[]

const ADDRESSES_PER_DOMAIN = 25
/** 20 %, and in these domains every other address exists. */
const MISSING_PER_DOMAIN = 5
const FIRST_ROUND_PER_DOMAIN = 12
const NAMES = Object.keys(HARD_BEHAVIOURS) as HardBehaviourName[]

/** The population of a world: the same domains and addresses each time. */
export function createWorld(world: WorldName): MailPopulation {
  const random = openRandom(hashText(world))
  const behaviours = NAMES.filter((name) => HARD_BEHAVIOURS[name].world === world).flatMap((name) =>
    Array.from({ length: HARD_BEHAVIOURS[name].weight }, () => name),
  )
  const domains = behaviours.map((behaviour, n) => makeHardDomain(behaviour, `${world.replaceAll('_', '-')}-${n + 1}`))
  const addresses = domains.flatMap((domain) => makeAddresses(random, domain))
  random.shuffle(addresses)
  return openPopulation(hashText(world), domains, addresses)
}

function makeHardDomain(behaviour: HardBehaviourName, name: string): SimulatedDomain {
  const { provider, site = null, hosts = [] } = behaviourOf({ behaviour })
  return {
    name: `${name}.example`,
    behaviour,
    provider,
    site,
    hosts: makeHosts(hosts, `${name}.example`),
    badShare: MISSING_PER_DOMAIN / ADDRESSES_PER_DOMAIN,
  }
}

/** Names with a vowel, because one of the servers rejects others. The special ones of the domain come first. */
function makeAddresses(random: Random, { name, behaviour }: SimulatedDomain): SimulatedAddress[] {
  const { special: groups = [], everyAddress } = behaviourOf({ behaviour })
  const special = groups.flatMap((group) => Array.from({ length: group.count }, () => group))
  const missing = MISSING_PER_DOMAIN - special.filter(({ exists }) => exists === 'no').length
  const locals = new Set<string>()
  while (locals.size < ADDRESSES_PER_DOMAIN) locals.add(`${random.pick(GIVEN_NAMES)}.${random.pick(FAMILY_NAMES)}`)
  return [...locals].map((local, n) => {
    const address = { email: `${local}@${name}`, behaviour }
    const own = special[n]
    if (own !== undefined) return { ...address, exists: own.exists, special: own }
    return { ...address, exists: everyAddress ?? (n < special.length + missing ? 'no' : 'yes') }
  })
}

/** The addresses of a world in the order in which they are validated: one round, or two with existing addresses only in the first. */
export function splitIntoRounds(world: WorldName, { addresses, domains }: MailPopulation): SimulatedAddress[][] {
  if ((WORLDS[world] as World).rounds === undefined) return [addresses]
  const first = new Set(
    domains.flatMap(({ name }) =>
      addresses
        .filter(({ email, exists }) => exists === 'yes' && email.endsWith(`@${name}`))
        .slice(0, FIRST_ROUND_PER_DOMAIN),
    ),
  )
  return [addresses.filter((address) => first.has(address)), addresses.filter((address) => !first.has(address))]
}

/** One population of the domains and addresses of several, in their order. */
export function joinPopulations(populations: MailPopulation[]): MailPopulation {
  const [first, ...others] = populations
  if (first === undefined) throw new RangeError('A simulation needs a list or a world.')
  if (others.length === 0) return first
  return openPopulation(
    first.seed,
    populations.flatMap(({ domains }) => domains),
    populations.flatMap(({ addresses }) => addresses),
  )
}
