import { createLruLookup } from '@probity/concurrency/lru-cache'
import { providerOfHost } from '../../domain/mail-hosts.ts'
import type { Egress } from '../protocol/dial.ts'
import { limitsFor, type ProviderLimitsTable } from '../providers/limits.ts'
import type { Site } from './connection.ts'
import type { ProbeCache } from './probe-cache.ts'
import type { Target } from './rate-limiter.ts'
import type { TimeFactor } from './time-factor.ts'

/** Connections to one IP address, of all workers and egresses together. */
export type AddressLimits = { connections: number; perMinute: number }

/** Twice the limit of an unknown site per egress: enough for a server with many domains, and low enough not to flood it. */
export const ADDRESS_LIMITS: AddressLimits = { connections: 4, perMinute: 60 }

export type DestinationNetwork = TimeFactor & {
  egress: Egress
  providerLimits: ProviderLimitsTable
  probeCache: ProbeCache
  addressLimits?: AddressLimits
}

/** An address that a mail host of a site resolved to. */
type Resolved = { site: Site; host: string; address: string }

/** An address of a mail host to connect to, with its limits in addition to those of the site. */
export type HostAddress = { host: string; address: string; destination: Target | undefined }

export type DestinationLimits = {
  /**
   * The target whose limits a connection counts against in addition to those of its site; undefined if the site's limits are sufficient.
   */
  find(resolved: Resolved): Promise<Target | undefined>
}

/** Each entry is small, and evicting one costs a lookup. */
const ADDRESSES_MAX = 10_000
/** How long this process uses a cached value. Until then a provider's new address has the limits of any other address. */
const FRESH_MS = 60_000
/** How often a learned address is written again; well before it expires. */
const LEARN_EVERY_MS = 3_600_000

/**
 * Finds the limits of destinations. An MX record can name any host, and any host name can resolve to any address. So connections also
 * count against the limits of their destination: those of the provider if the host name or the address belongs to it, else those of the
 * address. Addresses that a provider's own host names resolve to are stored as the provider's, for all workers.
 */
export function createDestinationLimits({
  egress,
  providerLimits,
  probeCache,
  addressLimits,
  timeFactor = 1,
}: DestinationNetwork): DestinationLimits {
  const recall = createLruLookup(ADDRESSES_MAX, () => ({ provider: '', readAt: NEVER, learntAt: NEVER }))
  const limits = limitsOfAddress(addressLimits ?? ADDRESS_LIMITS, providerLimits)

  async function findProvider(host: string, address: string): Promise<string> {
    const known = recall(address)
    const now = performance.now()
    const provider = providerOfHost(host)
    if (provider !== '') {
      if (known.provider !== provider || now - known.learntAt > LEARN_EVERY_MS / timeFactor) {
        void probeCache.updateAddress(address, { provider })
        Object.assign(known, { provider, readAt: now, learntAt: now })
      }
      return provider
    }
    if (now - known.readAt > FRESH_MS / timeFactor) {
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
