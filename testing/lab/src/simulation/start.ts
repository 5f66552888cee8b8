import { isIPv4 } from 'node:net'
import { SIMULATED_ADDRESS_LIMITS, SIMULATED_LIMITS } from './data/provider-limits.ts'
import { startSimulatedDns } from './dns.ts'
import { layOut } from './loopback.ts'
import { startSimulatedMail } from './mail.ts'
import { createMailPopulation, type MailPopulation, type SimulationSize } from './population.ts'
import { makeZone } from './zone.ts'

export type SimulationOptions = SimulationSize & {
  /** Where mail servers listen; a free port if there is none. */
  port?: number
  dnsPort?: number
  /** The first two bytes of all addresses, as in `127.77`. */
  addressBase?: string
  /** Other names in DNS, each with its address on loopback: a webhook receiver, for example. */
  hosts?: Record<string, string>
}

/** A world that answers. Its parts have the shapes that the engine asks for, so that they can be handed to it as they are. */
export type RunningSimulation = {
  simulation: MailPopulation
  dnsPort: number
  smtpPort: number
  /** Lets the engine dial the mail servers of this world and nobody else. */
  policy: { port: number; allows(address: string): boolean }
  /** A pace at which runs end; the real limits would make them last for days. */
  habits: typeof SIMULATED_LIMITS
  addressLimits: typeof SIMULATED_ADDRESS_LIMITS
  /** Connections that mail servers have taken so far. */
  connections(): number
  stop(): Promise<void>
}

const ADDRESS_BASE = '127.77'

/** A free port is taken on one address first, and may belong to somebody on the next. */
const TRIES = 5

export async function startSimulation(options: SimulationOptions): Promise<RunningSimulation> {
  const { port = 0, dnsPort = 0, addressBase = ADDRESS_BASE, hosts = {} } = options
  const simulation = createMailPopulation(options)
  const loopback = layOut(addressBase, simulation.domains)
  const mail = await retry(port === 0, () => startSimulatedMail(simulation, loopback, port))
  try {
    const zone = makeZone(simulation, loopback)
    for (const [name, address] of Object.entries(hosts)) zone.names[name] = { a: [address] }
    const dns = await retry(dnsPort === 0, () => startSimulatedDns(zone, dnsPort))
    return {
      simulation,
      dnsPort: dns.port,
      smtpPort: mail.port,
      policy: { port: mail.port, allows: (address) => isIPv4(address) && address.startsWith(`${addressBase}.`) },
      habits: SIMULATED_LIMITS,
      addressLimits: SIMULATED_ADDRESS_LIMITS,
      connections: mail.connections,
      stop: async () => void (await Promise.all([mail.stop(), dns.stop()])),
    }
  } catch (error) {
    await mail.stop()
    throw error
  }
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
