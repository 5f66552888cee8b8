import { PROVIDERS } from '@probity/engine/domain/data/providers'
import type { Pace } from '@probity/engine/mailbox/pace'
import { noteSuspension } from '@probity/queue/suspensions'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'

type Told = { redis: Redis; prefix: string; log: Logger }

const NAMES = new Map(PROVIDERS.map(({ id, name }) => [id, name]))

/**
 * A pace that also tells all accounts which providers turn us away. Of providers we know alone: the name of anybody else's mail hosts
 * would tell one customer whom another one asks about.
 */
export function tellOfSuspensions(pace: Pace, { redis, prefix, log }: Told): Pace {
  return {
    ...pace,
    async suspend(target, reason, forMs) {
      await pace.suspend(target, reason, forMs)
      const { site: provider, egress } = target
      const name = NAMES.get(provider)
      if (name === undefined) return
      const until = new Date(Date.now() + forMs)
      await noteSuspension(redis, prefix, { provider, name, egress, reason, until }).catch((error: unknown) =>
        log.debug({ err: error, provider }, 'nobody is told of a suspension: redis is away'),
      )
    },
  }
}
