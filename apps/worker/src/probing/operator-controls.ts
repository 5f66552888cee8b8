import { startInterval } from '@probity/concurrency/scheduling'
import type { Db } from '@probity/database/connection/connect'
import { type OperatorControls as Held, readControls } from '@probity/database/operators/controls'
import type { ProviderRateLimiter, Target, Throttle } from '@probity/engine/smtp/connections/rate-limiter'
import type { ProviderLimitsTable } from '@probity/engine/smtp/providers/limits'
import type { Logger } from 'pino'

/** Providers that operators paused or slowed and egresses that they drained, as this worker knows them. */
export type OperatorControls = {
  isPaused(provider: string): boolean
  ratePercent(provider: string): number
  isDrained(egress: string): boolean
  stop(): Promise<void>
}

const LOAD_EVERY_MS = 2_000
/**
 * Retry delay for a paused provider. Longer than the maximum timeout of a request, so that no request waits in vain, and short enough for a
 * list to retry without using up its attempts.
 */
export const PAUSED_MS = 45_000

/** Reloads every two seconds. While the database is down, the last known controls apply. */
export async function openOperatorControls({ db, log }: { db: Db; log: Logger }): Promise<OperatorControls> {
  let held: Held = { providers: [], egresses: [] }
  const load = async () => {
    held = await readControls(db)
  }
  const onError = (error: unknown) => log.debug({ err: error }, 'failed to load operator controls')
  await load().catch(onError)
  const interval = startInterval(LOAD_EVERY_MS, load, { onError, delayFirst: true, unref: true })
  const find = (provider: string) => held.providers.find((control) => control.provider === provider)
  return {
    isPaused: (provider) => (find(provider)?.pausedAt ?? null) !== null,
    ratePercent: (provider) => find(provider)?.ratePercent ?? 100,
    isDrained: (egress) => held.egresses.some((control) => control.egress === egress && control.drainedAt !== null),
    stop: () => interval.stop(),
  }
}

/** A rate limiter that opens no connection to paused providers and applies lowered rates. */
export function applyOperatorControls(
  pace: ProviderRateLimiter,
  controls: OperatorControls,
  providerLimits: ProviderLimitsTable,
): ProviderRateLimiter {
  // The site of a known provider is its id, and any other is the names of its hosts.
  const providerOf = (site: string) => (site !== '' && Object.hasOwn(providerLimits, site) ? site : '')
  function slowed(target: Target): Target {
    const share = controls.ratePercent(providerOf(target.site)) / 100
    if (share === 1) return target
    const { connectionsPerEgress, connectionsPerMinute } = target.limits
    const slower = {
      connectionsPerEgress: Math.max(1, Math.floor(connectionsPerEgress * share)),
      connectionsPerMinute: connectionsPerMinute * share,
    }
    return { ...target, limits: { ...target.limits, ...slower } }
  }
  return {
    ...pace,
    async lease(target, destination) {
      if (controls.isPaused(providerOf(target.site))) return paused('site')
      if (destination === undefined) return pace.lease(slowed(target))
      if (controls.isPaused(providerOf(destination.site))) return paused('destination')
      return pace.lease(slowed(target), slowed(destination))
    },
  }
}

function paused(of: Throttle['of']): Throttle {
  return { kind: 'throttle', why: 'suspended', retryAfterMs: PAUSED_MS, of }
}
