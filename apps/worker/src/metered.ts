import type { DomainDesk } from '@probity/engine/domain/facts'
import type { Pace } from '@probity/engine/mailbox/pace'
import type { Meters } from './meters.ts'

/** A pace whose decisions are counted. */
export function meteredPace(pace: Pace, meters: Meters): Pace {
  return {
    ...pace,
    async lease(target, destination) {
      const answer = await pace.lease(target, destination)
      if (target.egress === '') return answer // of an address alone: the connection is counted with its site
      const held = answer.kind === 'hold' && answer.of === 'destination' && destination ? destination : target
      const place = { provider: held.site, egress: target.egress }
      if (answer.kind === 'lease') meters.connected(place)
      else meters.held(place, answer.why)
      return answer
    },
    async suspend(target, reason, forMs) {
      meters.suspended({ provider: target.site, egress: target.egress }, reason)
      await pace.suspend(target, reason, forMs)
    },
  }
}

/** A desk for domains that counts what DNS said. */
export function meteredDomains(desk: DomainDesk, meters: Meters): DomainDesk {
  return {
    async lookUp(domain) {
      const found = await desk.lookUp(domain)
      const { mail } = found.facts
      meters.lookedUp(mail.kind === 'hosts' ? 'hosts' : mail.reason, found.source)
      return found
    },
  }
}
