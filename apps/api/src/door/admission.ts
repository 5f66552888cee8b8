import { readFileSync } from 'node:fs'
import type { Redis, Result } from 'ioredis'
import { openLocalRate, type RatePolicy, type RateState, readRate } from './rate.ts'

declare module 'ioredis' {
  interface RedisCommander<Context> {
    admitRequest(
      keyCount: number,
      ...keysAndArguments: (string | number)[]
    ): Result<[number, number, number, string | null, number], Context>
  }
}

const SCRIPT = readFileSync(new URL('./admission.lua', import.meta.url), 'utf8')
/** After a failure, how long requests go by without trying: an outage must not cost each of them the wait. */
const TRY_AGAIN_AFTER_MS = 1_000
/** A place whose process died without leaving it is free again after this. Longer than any caller waits. */
const PLACE_LAPSES_MS = 60_000

/** A request that asks about an address: it may be answered by a recent result, else it takes one of so many places. */
export type Question = { recentKey: string | undefined; places: number; placeName: string }

export type Admitted = { rate: RateState; recent: string | undefined; isFull: boolean }

/** Counts requests against their account's rate, over all processes through Redis, and whatever else is asked on the way. */
export type Admission = {
  admit(accountId: string, policy: RatePolicy, question?: Question): Promise<Admitted>
  /** Frees the place of a question that was answered. */
  leave(accountId: string, placeName: string): void
  /** How many processes share the limits, as last seen. */
  peers(count: number): void
}

/** What a process assumes that has never seen Redis: careful, since it cannot know. */
const PROCESSES_UNTIL_SEEN = 10

export function openAdmission(redis: Redis): Admission {
  redis.defineCommand('admitRequest', { lua: SCRIPT })
  const local = openLocalAdmission()
  let awayUntil = 0
  let processes = PROCESSES_UNTIL_SEEN

  return {
    async admit(accountId, policy, question) {
      if (performance.now() < awayUntil) return local.admit(accountId, policy, question, processes)
      try {
        return await admitByRedis(redis, accountId, policy, question)
      } catch {
        // Away or too slow. The door stays open on local limits; /readyz says that Redis is missing.
        awayUntil = performance.now() + TRY_AGAIN_AFTER_MS
        return local.admit(accountId, policy, question, processes)
      }
    },
    leave(accountId, placeName) {
      local.leave(accountId, placeName)
      void redis.zrem(placesKey(accountId), placeName).catch(() => {}) // it lapses by itself
    },
    peers: (count) => {
      processes = Math.max(1, count)
    },
  }
}

// The braces make Redis Cluster keep an account's keys on one node, where one script may use them together.
const placesKey = (accountId: string) => `places:{${accountId}}`

async function admitByRedis(
  redis: Redis,
  accountId: string,
  policy: RatePolicy,
  question?: Question,
): Promise<Admitted> {
  const keys = [`rate:{${accountId}}`]
  const values: (string | number)[] = [policy.quota, policy.windowS * 1e6]
  if (question) {
    // Without a key of its own the question is given one that never holds anything.
    keys.push(question.recentKey ?? `recent:{${accountId}}:none`, placesKey(accountId))
    values.push(question.places, question.placeName, PLACE_LAPSES_MS * 1e3)
  }
  const [allowed, fullInUs, waitUs, recent, full] = await redis.admitRequest(keys.length, ...keys, ...values)
  return { rate: readRate(policy, allowed === 1, fullInUs, waitUs), recent: recent ?? undefined, isFull: full === 1 }
}

/** The same within one process, on its share of what the account may, so that all processes together stay within it. */
function openLocalAdmission() {
  const rates = openLocalRate()
  const places = new Map<string, Set<string>>()

  function takePlace(accountId: string, { places: max, placeName }: Question, processes: number): boolean {
    const taken = places.get(accountId) ?? new Set()
    if (taken.size >= Math.max(1, Math.floor(max / processes))) return false
    places.set(accountId, taken.add(placeName))
    return true
  }

  return {
    admit(accountId: string, policy: RatePolicy, question: Question | undefined, processes: number): Admitted {
      const share = { ...policy, quota: Math.max(policy.shareMin ?? 1, Math.floor(policy.quota / processes)) }
      const rate = rates.take(accountId, share)
      const isFull = rate.allowed && question !== undefined && !takePlace(accountId, question, processes)
      return { rate, recent: undefined, isFull }
    },
    leave(accountId: string, placeName: string): void {
      const taken = places.get(accountId)
      taken?.delete(placeName)
      if (taken?.size === 0) places.delete(accountId)
    },
  }
}
