import { registrableDomain } from '@probity/engine/address/shared-domains'
import { dnsError, type MailDns } from '@probity/engine/domain/resolver'
import { countZoneQuery, ZONE_WINDOW_MS } from '@probity/redis/shared-counters'
import type { Redis } from 'ioredis'
import type { Meters } from '../server/metrics.ts'

type Options = {
  redis: Redis
  prefix: string
  meters: Meters
  queriesMax?: number
  now?: () => number
}

/** Maximum number of queries about one zone per window, over all workers: ten per second on average. */
const QUERIES_MAX = 600

/**
 * A resolver that sends a limited number of queries about each registrable domain, so that a list of random subdomains does not
 * flood the name servers of its owner. Queries beyond the budget fail as `query_limit_reached`, and the domain is looked up again later.
 * Workers share the count through Redis; while Redis is unavailable, each worker counts for itself.
 */
export function budgetZones(dns: MailDns, options: Options): MailDns {
  const spend = openZoneBudget(options)
  const within = async <T>(name: string, query: () => Promise<T>): Promise<T> => {
    if (await spend(registrableDomain(name))) return query()
    options.meters.zoneOverBudget()
    throw dnsError('EBUDGET', 'The zone has received all the queries of this minute.')
  }
  return {
    resolveMx: (name) => within(name, () => dns.resolveMx(name)),
    resolve4: (name) => within(name, () => dns.resolve4(name)),
    resolve6: (name) => within(name, () => dns.resolve6(name)),
    resolveTxt: (name) => within(name, () => dns.resolveTxt(name)),
  }
}

/** Returns a function that counts one query about a zone and returns whether it may be sent. */
function openZoneBudget({ redis, prefix, queriesMax = QUERIES_MAX, now = Date.now }: Options) {
  let window = 0
  let own = new Map<string, number>()
  return async (zone: string): Promise<boolean> => {
    const current = Math.floor(now() / ZONE_WINDOW_MS)
    if (current !== window) {
      window = current
      own = new Map()
    }
    const sent = (own.get(zone) ?? 0) + 1
    own.set(zone, sent)
    if (sent > queriesMax) return false
    return (await countZoneQuery(redis, prefix, { window, zone })) <= queriesMax
  }
}
