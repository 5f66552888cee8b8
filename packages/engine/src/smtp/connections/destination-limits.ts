import { createLruLookup } from '@probity/concurrency/lru-cache'
import { providerOfHost } from '../../domain/mail-hosts.ts'
import type { Egress } from '../protocol/dial.ts'
import { limitsFor, type ProviderLimitsTable } from '../providers/limits.ts'
import type { Site } from './connection.ts'
import type { ProbeCache } from './probe-cache.ts'
import type { Target } from './rate-limiter.ts'

/** Connections to one IP address, of all workers and egresses together. */
export type AddressLimits = { connections: number; perMinute: number }

/** Twice as many as an unknown site gets from one egress: a server for many domains is not held up, and none is flooded. */
export const ADDRESS_LIMITS: AddressLimits = { connections: 4, perMinute: 60 }

export type DestinationNetwork = {
  egress: Egress
  providerLimits: ProviderLimitsTable
  probeCache: ProbeCache
  addressLimits?: AddressLimits
}

/** An address that a mail host of a site resolved to. */
type Resolved = { site: Site; host: string; address: string }

/** An address to connect to, of a mail host, and the limits that it has besides those of the site. */
export type HostAddress = { host: string; address: string; destination: Target | undefined }

export type DestinationLimits = {
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
export function createDestinationLimits({
  egress,
  providerLimits,
  probeCache,
  addressLimits,
}: DestinationNetwork): DestinationLimits {
  const recall = createLruLookup(ADDRESSES_MAX, () => ({ provider: '', readAt: NEVER, learntAt: NEVER }))
  const limits = limitsOfAddress(addressLimits ?? ADDRESS_LIMITS, providerLimits)

  async function findProvider(host: string, address: string): Promise<string> {
    const known = recall(address)
    const now = performance.now()
    const provider = providerOfHost(host)
    if (provider !== '') {
      if (known.provider !== provider || now - known.learntAt > LEARN_EVERY_MS) {
        void probeCache.updateAddress(address, { provider })
        Object.assign(known, { provider, readAt: now, learntAt: now })
      }
      return provider
    }
    if (now - known.readAt > FRESH_MS) {
      known.provider = (await probeCache.readAddress(address)).provider ?? ''
      known.readAt = now
    }
    return known.provider
  }

  return {
    async find({ site, host, address }) {
      const provider = await findProvider(host, address)
      if (provider === '') return { egress: '', site: `[${address}]`, limits: limits }
      if (provider === site.provider) return undefined
      return { egress: egress.name, site: provider, limits: limitsFor(provider, providerLimits) }
    },
  }
}

const NEVER = Number.NEGATIVE_INFINITY

/** Rejected recipients are counted for the site: an address has no budget of its own. */
function limitsOfAddress({ connections, perMinute }: AddressLimits, table: ProviderLimitsTable): Target['limits'] {
  const { errorsPerConnection } = table['']
  return {
    connectionsPerEgress: connections,
    connectionsPerMinute: perMinute,
    errorsPerConnection,
    errorsPerHour: null,
  }
}
