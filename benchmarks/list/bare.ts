import { layOut } from '@probity/lab/simulation/loopback'
import { createMailPopulation, type SimulatedAddress, type SimulationSize } from '@probity/lab/simulation/population'
import { parse } from 'csv-parse'
import { ADDRESS_BASE } from '../environment/simulation.ts'
import { domainOf } from '../probe/addresses.ts'
import { probeBare } from '../probe/bare-sessions.ts'
import { type BareResult, type CopySeconds, measureCopy } from './copy.ts'

/**
 * The minimum duration of a job, in seconds: reading the list, probing its addresses without any care, and storing the
 * results, in one of two ways.
 */
export type BareParts = { parse: number; probe: number } & CopySeconds

/** Domains probed at the same time, each on one connection. */
const DOMAINS_AT_ONCE = 16
const ROUNDS = 5

type Task = {
  csv: string
  size: SimulationSize
  addresses: SimulatedAddress[]
  smtpPort: number
  databaseUrl: string
  results: BareResult[]
}

/** The seconds of each part alone, run sequentially. */
export async function measureBare({ csv, size, addresses, smtpPort, databaseUrl, results }: Task): Promise<BareParts> {
  const hostOf = openHosts(size)
  const byDomain = [...Map.groupBy(addresses, ({ email }) => domainOf(email).toLowerCase())]
  return {
    parse: await timed(async () => {
      const records = parse(csv, { columns: true })
      for await (const _ of records);
    }),
    probe: await timed(async () => {
      const waiting = byDomain.values()
      const askers = Array.from({ length: DOMAINS_AT_ONCE }, async () => {
        for (const [domain, some] of waiting) {
          const emails = some.map(({ email }) => email)
          await probeBare(emails, { host: hostOf(domain).host, port: smtpPort })
        }
      })
      await Promise.all(askers)
    }),
    ...(await measureCopy(databaseUrl, results)),
  }
}

/** The median of several rounds: each is so short that other load would dominate it. */
async function timed(work: () => Promise<void>): Promise<number> {
  const rounds: number[] = []
  while (rounds.length < ROUNDS) {
    const began = performance.now()
    await work()
    rounds.push((performance.now() - began) / 1_000)
  }
  return rounds.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0
}

/**
 * The first mail host of a domain in the simulation's DNS, and its provider: the unit that shares one connection limit.
 */
export function openHosts(size: SimulationSize): (domain: string) => { host: string; site: string } {
  const simulation = createMailPopulation(size)
  const { addressOf } = layOut(ADDRESS_BASE, simulation.domains)
  return (name) => {
    const domain = simulation.findDomain(name)
    const [first] = domain?.hosts.toSorted((a, b) => a.preference - b.preference) ?? []
    if (!domain?.site || first === undefined) throw new Error(`no mail server for ${name}`)
    return { host: addressOf(first.name), site: domain.provider || first.name }
  }
}
