import { PROVIDERS } from '@probity/engine/domain/data/providers'
import type { DomainLookup } from '@probity/engine/domain/facts'
import type { ProviderRateLimiter } from '@probity/engine/smtp/connections/rate-limiter'
import type { ProviderLimitsTable } from '@probity/engine/smtp/providers/limits'
import { type RateLimiterState, readRateLimiterState, recordSuspension } from '@probity/redis/rate-limiter-state'
import { type FigureGauge, keepFresh, watchFigures } from '@probity/telemetry/metrics'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Meters } from '../server/metrics.ts'

/** Counts the decisions of the rate limiter. */
export function instrumentRateLimiter(pace: ProviderRateLimiter, meters: Meters): ProviderRateLimiter {
  return {
    ...pace,
    async lease(target, destination) {
      const answer = await pace.lease(target, destination)
      if (target.egress === '') return answer // a lease for an IP address only: the connection is counted with its site
      const limited = answer.kind === 'throttle' && answer.of === 'destination' && destination ? destination : target
      const place = { provider: limited.site, egress: target.egress }
      if (answer.kind === 'lease') meters.connected(place)
      else meters.throttled(place, answer.why)
      return answer
    },
    async suspend(target, reason, forMs) {
      meters.suspended({ provider: target.site, egress: target.egress }, reason)
      await pace.suspend(target, reason, forMs)
    },
  }
}

/** Counts domain lookups by outcome. */
export function instrumentDomains(domains: DomainLookup, meters: Meters): DomainLookup {
  return {
    async lookUp(domain) {
      const found = await domains.lookUp(domain)
      const { mail } = found.facts
      meters.lookedUp(mail.kind === 'hosts' ? 'hosts' : mail.reason, found.source)
      return found
    },
  }
}

type Publishing = { redis: Redis; prefix: string; log: Logger }

const PROVIDER_NAMES = new Map(PROVIDERS.map(({ id, name }) => [id, name]))

/**
 * A rate limiter that also publishes suspensions to all accounts. Known providers only: the name of another site would reveal to one
 * account
 * which domains another account validates.
 */
export function publishSuspensions(pace: ProviderRateLimiter, { redis, prefix, log }: Publishing): ProviderRateLimiter {
  return {
    ...pace,
    async suspend(target, reason, forMs) {
      await pace.suspend(target, reason, forMs)
      const { site: provider, egress } = target
      const name = PROVIDER_NAMES.get(provider)
      if (name === undefined) return
      const until = new Date(Date.now() + forMs)
      await recordSuspension(redis, prefix, { provider, name, egress, reason, until }).catch((error: unknown) =>
        log.debug({ err: error, provider }, 'failed to publish suspension: redis unavailable'),
      )
    },
  }
}

/** Scrapes come every 15 seconds; more frequent scrapes get cached values. */
const FRESH_FOR_MS = 5_000

type Place = { provider: string; egress: string; connectionsMax: number; perMinute: number }
type Seen = Place & { state: RateLimiterState }

type Watched = { redis: Redis; prefix: string; egresses: string[]; providerLimits: ProviderLimitsTable }

/** Rate limiter state of known providers for each egress of this worker. Workers with the same egress report the same values. */
export function watchRateLimiter(registry: Registry, { redis, prefix, egresses, providerLimits }: Watched): void {
  const places = egresses.flatMap((egress) =>
    PROVIDERS.flatMap(({ id: provider }): Place[] => {
      const own = providerLimits[provider]
      const limits = own && { connectionsMax: own.connectionsPerEgress, perMinute: own.connectionsPerMinute }
      return limits ? [{ provider, egress, ...limits }] : []
    }),
  )
  // Pipelined. A provider that was not probed recently has no state and no samples.
  const look = keepFresh(FRESH_FOR_MS, async () => {
    const states = await Promise.all(
      places.map(({ provider: site, egress }) => readRateLimiterState(redis, prefix, { egress, site })),
    )
    return places.flatMap((place, n): Seen[] => {
      const state = states[n]
      return state ? [{ ...place, state }] : []
    })
  })
  watchFigures(registry, look, GAUGES)
}

const LABELS = ['provider', 'egress'] as const

function gauge(name: string, help: string, read: (seen: Seen) => number): FigureGauge<Seen[]> {
  return {
    name,
    help,
    labels: LABELS,
    read: (all) => all.map((seen) => ({ of: { provider: seen.provider, egress: seen.egress }, value: read(seen) })),
  }
}

const GAUGES = [
  gauge('probity_throttle_connections', 'Open SMTP connections of all workers.', ({ state }) => state.connections),
  gauge('probity_throttle_connections_max', 'Limit of open SMTP connections.', ({ connectionsMax }) => connectionsMax),
  gauge(
    'probity_throttle_connections_per_minute',
    'Current limit of new connections per minute. Reduced for some hours after a provider rate-limits us.',
    ({ state, perMinute }) => (perMinute * state.level) / 1_000,
  ),
  gauge(
    'probity_throttle_connections_per_minute_max',
    'Configured limit of new connections per minute.',
    ({ perMinute }) => perMinute,
  ),
  gauge(
    'probity_throttle_rejected_recipients',
    'Recipients rejected within the last hour, of all workers.',
    ({ state }) => state.refused,
  ),
  gauge('probity_throttle_suspended', 'Whether the provider is suspended on the egress after blocks.', ({ state }) =>
    state.suspendedUntil === null ? 0 : 1,
  ),
]
