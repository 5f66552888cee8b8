import { type Brakes as Held, readBrakes } from '@probity/database/brakes'
import type { Db } from '@probity/database/connect'
import type { HabitTable } from '@probity/engine/mailbox/habits'
import type { Hold, Pace, Target } from '@probity/engine/mailbox/pace'
import type { Logger } from 'pino'

/** What operators hold back, as this worker knows it. */
export type Brakes = {
  isPaused(provider: string): boolean
  ratePercent(provider: string): number
  isDrained(egress: string): boolean
  stop(): Promise<void>
}

const LOOK_EVERY_MS = 2_000
/**
 * When to look again whether a provider may be asked. Longer than a question waits for its answer, so that nobody waits in vain, and short
 * enough for a list to come back for it without using up its tries.
 */
export const PAUSED_MS = 45_000

/** Looks every two seconds. While the database is away, what was last known holds. */
export async function openBrakes({ db, log }: { db: Db; log: Logger }): Promise<Brakes> {
  let held: Held = { providers: [], egresses: [] }
  async function look(): Promise<void> {
    try {
      held = await readBrakes(db)
    } catch (error) {
      log.debug({ err: error }, 'could not look what operators hold back')
    }
  }
  await look()
  let looking = Promise.resolve()
  const timer = setInterval(() => {
    looking = looking.then(look)
  }, LOOK_EVERY_MS)
  timer.unref()
  const find = (provider: string) => held.providers.find((brake) => brake.provider === provider)
  return {
    isPaused: (provider) => (find(provider)?.pausedAt ?? null) !== null,
    ratePercent: (provider) => find(provider)?.ratePercent ?? 100,
    isDrained: (egress) => held.egresses.some((brake) => brake.egress === egress && brake.drainedAt !== null),
    async stop() {
      clearInterval(timer)
      await looking
    },
  }
}

/** A pace that opens no connection to who is paused, and fewer and slower ones to whose rate was lowered. */
export function brakedPace(pace: Pace, brakes: Brakes, habits: HabitTable): Pace {
  // A site of a provider that we know goes by its id, and any other by the names of its hosts.
  const providerOf = (site: string) => (site !== '' && Object.hasOwn(habits, site) ? site : '')
  function slowed(target: Target): Target {
    const share = brakes.ratePercent(providerOf(target.site)) / 100
    if (share === 1) return target
    const { connectionsPerEgress, connectionsPerMinute } = target.habits
    const slower = {
      connectionsPerEgress: Math.max(1, Math.floor(connectionsPerEgress * share)),
      connectionsPerMinute: connectionsPerMinute * share,
    }
    return { ...target, habits: { ...target.habits, ...slower } }
  }
  return {
    ...pace,
    async lease(target, destination) {
      if (brakes.isPaused(providerOf(target.site))) return paused('site')
      if (destination === undefined) return pace.lease(slowed(target))
      if (brakes.isPaused(providerOf(destination.site))) return paused('destination')
      return pace.lease(slowed(target), slowed(destination))
    },
  }
}

function paused(of: Hold['of']): Hold {
  return { kind: 'hold', why: 'suspended', retryAfterMs: PAUSED_MS, of }
}
