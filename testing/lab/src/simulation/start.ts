import { isIPv4 } from 'node:net'
import { SIMULATED_ADDRESS_LIMITS, SIMULATED_LIMITS } from './data/provider-limits.ts'
import { SIMULATED_NAMES } from './data/resolver-names.ts'
import { type ResolverLie, WORLDS, type World, type WorldName } from './data/worlds.ts'
import { startSimulatedDns } from './dns.ts'
import { layOut } from './loopback.ts'
import { startSimulatedMail } from './mail.ts'
import { createMailPopulation, type MailPopulation, type SimulationSize } from './population.ts'
import type { RecipientRecord } from './recipient-record.ts'
import { createWorld, joinPopulations } from './worlds.ts'
import { makeZone } from './zone.ts'

/** A list of this size, worlds, or both. */
export type Populated = (SimulationSize & { worlds?: WorldName[] }) | { worlds: WorldName[] }

export type SimulationOptions = Populated & {
  /** The port of the mail servers; a free port by default. */
  port?: number
  dnsPort?: number
  /** The first two bytes of all addresses, as in `127.77`. */
  addressBase?: string
  /** Other DNS names, each with its loopback address: a webhook receiver, for example. */
  hosts?: Record<string, string>
  /** Whether the replies to each recipient are recorded. */
  keepsReplies?: boolean
  /** All delays of the servers are divided by it. */
  timeFactor?: number
}

/** A running simulation. Its parts have the types that the engine requires and can be passed to it unchanged. */
export type RunningSimulation = {
  simulation: MailPopulation
  dnsPort: number
  smtpPort: number
  /** Allows the engine to connect to the mail servers of this simulation only. */
  policy: { port: number; allows(address: string): boolean }
  /** Limits with which runs end; the real limits would make them last for days. */
  limits: typeof SIMULATED_LIMITS
  addressLimits: typeof SIMULATED_ADDRESS_LIMITS
  /** Names of its DNS with which a worker checks its resolver. */
  resolverNames: typeof SIMULATED_NAMES
  /** Connections accepted by the mail servers so far. */
  connections(): number
  /** The recipients that the mail servers received so far. */
  recipients(): RecipientRecord
  stop(): Promise<void>
}

const ADDRESS_BASE = '127.77'

/** A port that is free on the first address may be taken on the next one. */
const TRIES = 5

export async function startSimulation(options: SimulationOptions): Promise<RunningSimulation> {
  const {
    port = 0,
    dnsPort = 0,
    addressBase = ADDRESS_BASE,
    hosts = {},
    keepsReplies = false,
    timeFactor = 1,
  } = options
  const simulation = createPopulation(options)
  const loopback = layOut(addressBase, simulation.domains)
  const mail = await retry(port === 0, () =>
    startSimulatedMail({ simulation, loopback, port, keepsReplies, timeFactor }),
  )
  try {
    const zone = makeZone(simulation, loopback)
    for (const [name, address] of Object.entries(hosts)) zone.names[name] = { a: [address] }
    for (const name of SIMULATED_NAMES.mailDomains) zone.names[name] = { mx: [[10, 'mx.world.example']] }
    const lie = findResolverLie(options.worlds ?? [])
    const dns = await retry(dnsPort === 0, () =>
      startSimulatedDns(zone, dnsPort, lie && { lie, address: loopback.web }),
    )
    return {
      simulation,
      dnsPort: dns.port,
      smtpPort: mail.port,
      policy: { port: mail.port, allows: (address) => isIPv4(address) && address.startsWith(`${addressBase}.`) },
      limits: SIMULATED_LIMITS,
      addressLimits: SIMULATED_ADDRESS_LIMITS,
      resolverNames: SIMULATED_NAMES,
      connections: mail.connections,
      recipients: mail.recipients,
      stop: async () => void (await Promise.all([mail.stop(), dns.stop()])),
    }
  } catch (error) {
    await mail.stop()
    throw error
  }
}

function createPopulation(options: Populated): MailPopulation {
  const lists = 'addresses' in options ? [createMailPopulation(options)] : []
  return joinPopulations([...lists, ...(options.worlds ?? []).map(createWorld)])
}

/** A resolver that lies does so about all names, so such a world is alone. */
function findResolverLie(worlds: WorldName[]): ResolverLie | undefined {
  const [lie] = worlds.flatMap((world) => (WORLDS[world] as World).resolver ?? [])
  if (lie !== undefined && worlds.length > 1)
    throw new RangeError('A world whose resolver lies needs its own simulation.')
  return lie
}

async function retry<T>(mayRetry: boolean, start: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start()
    } catch (error) {
      if (!mayRetry || tries === TRIES || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
}
