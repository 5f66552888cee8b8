import { providerOfHost } from '../domain/provider.ts'
import type { Egress } from './egress.ts'
import { type HabitTable, habitsOf } from './habits.ts'
import type { Knowledge } from './knowledge.ts'
import type { Site } from './line.ts'
import type { Target } from './pace.ts'
import { openRecentlyUsed } from './recently-used.ts'

/** Connections to one IP address, of all workers and egresses together. */
export type AddressLimits = { connections: number; perMinute: number }

/** Twice as many as an unknown site gets from one egress: a server for many domains is not held up, and none is flooded. */
export const ADDRESS_LIMITS: AddressLimits = { connections: 4, perMinute: 60 }

export type DestinationNetwork = {
  egress: Egress
  habits: HabitTable
  knowledge: Knowledge
  addressLimits?: AddressLimits
}

/** An address that a mail host of a site resolved to. */
type Resolved = { site: Site; host: string; address: string }

/** An address to connect to, of a mail host, and the limits that it has besides those of the site. */
export type Stop = { host: string; address: string; destination: Target | undefined }

export type Destinations = {
  /** The target whose limits a connection counts against besides those of its site; undefined where the site's say it all. */
  find(resolved: Resolved): Promise<Target | undefined>
}

/** Each is small, and forgetting one costs a look-up. */
const ADDRESSES_MAX = 10_000
/** How long this process relies on what it read. A provider's new address is limited as any other until then. */
const FRESH_MS = 60_000
/** How often what was learnt is written again; well before it expires. */
const LEARN_EVERY_MS = 3_600_000

/**
 * Finds the limits of destinations. An MX record can name any host, and any host name can resolve to any address, so
 * connections are also limited by what they lead to: a provider's own limits where the host name or the address is the provider's, else
 * those of the address. Addresses that a provider's own host names resolve to are remembered as the provider's, for all workers.
 */
export function openDestinations({ egress, habits, knowledge, addressLimits }: DestinationNetwork): Destinations {
  const recall = openRecentlyUsed(ADDRESSES_MAX, () => ({ provider: '', readAt: NEVER, learntAt: NEVER }))
  const limits = limitsOfAddress(addressLimits ?? ADDRESS_LIMITS, habits)

  async function findProvider(host: string, address: string): Promise<string> {
    const known = recall(address)
    const now = performance.now()
    const provider = providerOfHost(host)
    if (provider !== '') {
      if (known.provider !== provider || now - known.learntAt > LEARN_EVERY_MS) {
        void knowledge.learnAddress(address, { provider })
        Object.assign(known, { provider, readAt: now, learntAt: now })
      }
      return provider
    }
    if (now - known.readAt > FRESH_MS) {
      known.provider = (await knowledge.ofAddress(address)).provider ?? ''
      known.readAt = now
    }
    return known.provider
  }

  return {
    async find({ site, host, address }) {
      const provider = await findProvider(host, address)
      if (provider === '') return { egress: '', site: `[${address}]`, habits: limits }
      if (provider === site.provider) return undefined
      return { egress: egress.name, site: provider, habits: habitsOf(provider, habits) }
    },
  }
}

const NEVER = Number.NEGATIVE_INFINITY

/** Rejected recipients are counted for the site: an address has no budget of its own. */
function limitsOfAddress({ connections, perMinute }: AddressLimits, habits: HabitTable): Target['habits'] {
  const { errorsPerConnection } = habits['']
  return {
    connectionsPerEgress: connections,
    connectionsPerMinute: perMinute,
    errorsPerConnection,
    errorsPerHour: null,
  }
}
