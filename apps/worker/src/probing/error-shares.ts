import { limitsFor, type ProviderLimitsTable } from '@probity/engine/smtp/providers/limits'
import type { RateLimiterTarget } from '@probity/redis/keys'
import { createErrorCounter, type ErrorCounter } from '@probity/redis/shared-counters'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'

/** An account that probes a provider from an egress. */
export type Use = { accountId: string; provider: string; egress: string }

/** Keeps one account from using up the rejected recipients that a provider allows in an hour, which all accounts share. */
export type ErrorShares = {
  /**
   * Waits until one more recipient of the account may be probed. Returns false when the account has used up its share of the hour, or when
   * the deadline (on the clock of `performance.now()`) has passed. Each admitted recipient ends with `settle`.
   */
  admit(use: Use, deadline: number): Promise<boolean>
  settle(use: Use, isRejected: boolean): void
  /** Writes the remaining counts to Redis. */
  stop(): Promise<void>
}

/** Share of a provider's hourly errors for one account while other accounts use the provider too. */
const SHARE = 0.5
/** How long the sums of Redis are cached, and how soon new rejections are written to it. */
const FRESH_MS = 1_000

/** State of one account at one provider. */
type Account = {
  /** Whether the counts were read from Redis. */
  isRead: boolean
  /** Rejections of the hour according to Redis, and those not written to it yet. */
  used: number
  unwritten: number
  /** Recipients in flight, each of which may be rejected. */
  inFlight: number
  waiting: Set<() => void>
}

/** The accounts that use a provider from an egress. */
type Place = {
  target: RateLimiterTarget
  accounts: Map<string, Account>
  isShared: boolean
  readAt: number
  reading: Promise<void> | undefined
}

type Options = { redis: Redis; prefix: string; providerLimits: ProviderLimitsTable; log: Logger }

export function openErrorShares({ redis, prefix, providerLimits, log }: Options): ErrorShares {
  const places = createPlaces(createErrorCounter(redis, prefix), log)
  let timer: NodeJS.Timeout | undefined

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    await places.flush()
  }

  return {
    async admit(use, deadline) {
      const limit = limitOf(use, providerLimits)
      if (limit === undefined) return true
      for (;;) {
        const place = places.findOrCreate(use)
        const known = findOrMake(place.accounts, use.accountId, newAccount)
        if (!known.isRead || performance.now() - place.readAt > FRESH_MS) await places.refresh(place)
        if (places.find(use) !== place) continue

        const account = findOrMake(place.accounts, use.accountId, newAccount)
        if (!place.isShared || usedBy(account) < limit) {
          account.inFlight += 1
          return true
        }
        if (account.inFlight === 0 || performance.now() >= deadline) {
          wakeNext(account) // without recipients in flight no other would wake it
          return false
        }
        await waitFor(account, deadline)
      }
    },
    settle(use, isRejected) {
      const account = places.find(use)?.accounts.get(use.accountId)
      if (account === undefined) return
      account.inFlight -= 1
      if (isRejected) account.unwritten += 1
      wakeNext(account)
      timer ??= setTimeout(() => void flush(), FRESH_MS).unref()
    },
    stop: flush,
  }
}

/** The (provider, egress) pairs in use, with the counts of Redis. */
function createPlaces(counter: ErrorCounter, log: Logger) {
  const places = new Map<string, Place>()

  /** Writes and reads in one call. Without Redis, the last known state applies. */
  async function read(place: Place): Promise<void> {
    const some = [...place.accounts]
    const errors = some.map(([accountId, { unwritten }]) => ({ accountId, rejected: unwritten }))
    try {
      const { isShared, used } = await counter.add(place.target, errors)
      place.isShared = isShared
      for (const [n, [id, account]] of some.entries()) {
        account.used = used[n] ?? 0
        account.unwritten -= errors[n]?.rejected ?? 0
        if (account.isRead && isIdle(account)) place.accounts.delete(id)
      }
    } catch (error) {
      log.debug({ err: error }, 'failed to share provider errors: redis unavailable')
    }
    for (const [, account] of some) account.isRead = true
    place.readAt = performance.now()
  }

  function refresh(place: Place): Promise<void> {
    place.reading ??= read(place).finally(() => {
      place.reading = undefined
    })
    return place.reading
  }

  return {
    find: (use: Use) => places.get(nameOf(use)),
    findOrCreate: (use: Use) => findOrMake(places, nameOf(use), () => newPlace(use)),
    refresh,
    async flush(): Promise<void> {
      await Promise.all([...places.values()].map(refresh))
      for (const [name, { accounts }] of places) if (accounts.size === 0) places.delete(name)
    },
  }
}

/** Undefined if errors are not counted, or if few domains share the site. */
function limitOf({ provider }: Use, providerLimits: ProviderLimitsTable): number | undefined {
  const { errorsPerHour } = limitsFor(provider, providerLimits)
  return provider === '' || errorsPerHour === null ? undefined : Math.max(1, Math.floor(errorsPerHour * SHARE))
}

function nameOf({ provider, egress }: Use): string {
  return JSON.stringify([egress, provider])
}

function newPlace({ egress, provider }: Use): Place {
  const never = Number.NEGATIVE_INFINITY
  return { target: { egress, site: provider }, accounts: new Map(), isShared: false, readAt: never, reading: undefined }
}

function newAccount(): Account {
  return { isRead: false, used: 0, unwritten: 0, inFlight: 0, waiting: new Set() }
}

function usedBy({ used, unwritten, inFlight }: Account): number {
  return used + unwritten + inFlight
}

function isIdle({ unwritten, inFlight, waiting }: Account): boolean {
  return unwritten === 0 && inFlight === 0 && waiting.size === 0
}

function findOrMake<Value>(all: Map<string, Value>, name: string, make: () => Value): Value {
  const value = all.get(name) ?? make()
  all.set(name, value)
  return value
}

function wakeNext({ waiting }: Account): void {
  const [first] = waiting
  first?.()
}

/** Waits until a recipient of the account is settled, or until the deadline. */
function waitFor({ waiting }: Account, deadline: number): Promise<void> {
  return new Promise((resolve) => {
    const timeout = setTimeout(end, Math.max(0, deadline - performance.now()))
    function end(): void {
      clearTimeout(timeout)
      waiting.delete(end)
      resolve()
    }
    waiting.add(end)
  })
}
