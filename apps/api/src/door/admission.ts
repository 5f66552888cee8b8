import { readFileSync } from 'node:fs'
import type { Redis, Result } from 'ioredis'
import { openLocalRate, type RatePolicy, type RateState, readRate } from './rate.ts'

declare module 'ioredis' {
  interface RedisCommander<Context> {
    admitRequests(keyCount: number, ...keysAndArguments: (string | number)[]): Result<Answer[], Context>
  }
}

/** Of one request: allowed, microseconds until the rate is full, microseconds to wait, recent result, all slots are taken. */
type Answer = [number, number, number, string | null, number]

/** The script, which is called once for all requests of an account in one turn of the event loop. To be sent without waiting for others. */
export const ADMIT_COMMAND = 'admitRequests'

const SCRIPT = readFileSync(new URL('./admission.lua', import.meta.url), 'utf8')
/** After a failure, how long requests go by without trying: an outage must not cost each of them the wait. */
const TRY_AGAIN_AFTER_MS = 1_000
/** A place whose process died without leaving it is free again after this. Longer than any caller waits. */
const PLACE_LAPSES_MS = 60_000

/**
 * A request about an address: a recent result is returned if there is one, otherwise the request takes one of so many places. A recent
 * result counts only if Redis still stores it for `recentStoredForMs`, so that results beyond a maximum age are not used; 0 for any.
 */
export type Question = { recentKey: string | undefined; recentStoredForMs: number; places: number; placeName: string }

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
  const local = openLocalAdmission()
  const admitTogether = togetherOver(redis)
  const leaveSoon = openLeaving(redis)
  let awayUntil = 0
  let processes = PROCESSES_UNTIL_SEEN

  return {
    async admit(accountId, policy, question) {
      if (performance.now() < awayUntil) return local.admit(accountId, policy, question, processes)
      try {
        return await admitTogether(accountId, policy, question)
      } catch {
        // Away or too slow. The door stays open on local limits; /readyz says that Redis is missing.
        awayUntil = performance.now() + TRY_AGAIN_AFTER_MS
        return local.admit(accountId, policy, question, processes)
      }
    },
    leave(accountId, placeName) {
      local.leave(accountId, placeName)
      leaveSoon(accountId, placeName)
    },
    peers: (count) => {
      processes = Math.max(1, count)
    },
  }
}

/** Frees the places of an account that are left within one turn of the event loop with one command: workers end validations in groups. */
function openLeaving(redis: Redis): (accountId: string, placeName: string) => void {
  let leaving = new Map<string, string[]>()

  function free(): void {
    for (const [accountId, names] of leaving) {
      void redis.zrem(placesKey(accountId), ...names).catch(() => {}) // a place lapses by itself
    }
    leaving = new Map()
  }

  return (accountId, placeName) => {
    if (leaving.size === 0) setImmediate(free)
    const names = leaving.get(accountId)
    if (names) names.push(placeName)
    else leaving.set(accountId, [placeName])
  }
}

// The braces make Redis Cluster keep an account's keys on one node, where one script may use them together.
const placesKey = (accountId: string) => `places:{${accountId}}`

type Asking = {
  policy: RatePolicy
  question: Question | undefined
  resolve(admitted: Admitted): void
  reject(error: unknown): void
}

/** Keeps a script short that other clients of Redis wait for. */
const TOGETHER_MAX = 100

type AdmitTogether = ReturnType<typeof openTogether>
const togetherByConnection = new WeakMap<Redis, AdmitTogether>()

/** One for each connection, so that requests are counted in the order in which they came. */
function togetherOver(redis: Redis): AdmitTogether {
  const open = togetherByConnection.get(redis) ?? openTogether(redis)
  togetherByConnection.set(redis, open)
  return open
}

/**
 * Admits what comes within one turn of the event loop together, one call for each account. A busy process reads many requests in one turn, and
 * a call costs as much as the work that it does.
 */
function openTogether(redis: Redis) {
  redis.defineCommand(ADMIT_COMMAND, { lua: SCRIPT })
  let asked = new Map<string, Asking[]>()

  function send(): void {
    const groups = asked
    asked = new Map()
    for (const [accountId, group] of groups) {
      for (let n = 0; n < group.length; n += TOGETHER_MAX) admitGroup(accountId, group.slice(n, n + TOGETHER_MAX))
    }
  }

  function admitGroup(accountId: string, group: Asking[]): void {
    const [first] = group
    if (first === undefined) return
    // The limits of an account change rarely. Requests that were read before and after a change are counted apart.
    const alike = group.filter((one) => isAlike(one, first))
    void admitByRedis(redis, accountId, alike)
    if (alike.length < group.length) {
      admitGroup(
        accountId,
        group.filter((one) => !isAlike(one, first)),
      )
    }
  }

  return (accountId: string, policy: RatePolicy, question: Question | undefined): Promise<Admitted> =>
    new Promise((resolve, reject) => {
      if (asked.size === 0) setImmediate(send)
      const asking: Asking = { policy, question, resolve, reject }
      const group = asked.get(accountId)
      if (group) group.push(asking)
      else asked.set(accountId, [asking])
    })
}

function isAlike({ policy, question }: Asking, other: Asking): boolean {
  const isSameRate = policy.quota === other.policy.quota && policy.windowS === other.policy.windowS
  return isSameRate && question?.places === other.question?.places
}

async function admitByRedis(redis: Redis, accountId: string, group: Asking[]): Promise<void> {
  const { policy, question } = group[0] as Asking
  const none = `recent:{${accountId}}:none` // never holds anything
  const keys = [`rate:{${accountId}}`, placesKey(accountId)]
  const values: (string | number)[] = [policy.quota, policy.windowS * 1e6, question?.places ?? 0, PLACE_LAPSES_MS * 1e3]
  for (const { question: asked } of group) {
    keys.push(asked?.recentKey ?? none)
    values.push(asked?.placeName ?? '', asked?.recentStoredForMs ?? 0)
  }
  try {
    const answers = await redis.admitRequests(keys.length, ...keys, ...values)
    for (const [n, one] of group.entries()) one.resolve(readAnswer(one, answers[n] as Answer))
  } catch (error) {
    for (const { reject } of group) reject(error)
  }
}

function readAnswer({ policy }: Asking, [allowed, fullInUs, waitUs, recent, full]: Answer): Admitted {
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
