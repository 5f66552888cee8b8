import type { DomainLookup } from '@probity/engine/domain/facts'
import type { ProviderRateLimiter } from '@probity/engine/smtp/connections/rate-limiter'
import type { Meters } from '../server/metrics.ts'

/** Counts the decisions of the rate limiter. */
export function meteredPace(pace: ProviderRateLimiter, meters: Meters): ProviderRateLimiter {
  return {
    ...pace,
    async lease(target, destination) {
      const answer = await pace.lease(target, destination)
      if (target.egress === '') return answer // a lease per IP address only: the connection is counted with its site
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
export function meteredDomains(desk: DomainLookup, meters: Meters): DomainLookup {
  return {
    async lookUp(domain) {
      const found = await desk.lookUp(domain)
      const { mail } = found.facts
      meters.lookedUp(mail.kind === 'hosts' ? 'hosts' : mail.reason, found.source)
      return found
    },
  }
}
