import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { startInterval } from '@probity/concurrency/scheduling'
import type { Redis, Result } from 'ioredis'
import { API_PROCESSES_KEY, noRecentKey, requestRateKey, slotsKey } from './keys.ts'
import { createLocalRate, type RatePolicy, type RateState, readRate } from './request-rate.ts'

declare module 'ioredis' {
  interface RedisCommander<Context> {
    admitRequests(keyCount: number, ...keysAndArguments: (string | number)[]): Result<Reply[], Context>
  }
}

/** For one request: allowed, microseconds until the quota is full, microseconds to wait, recent result, whether all slots are taken. */
type Reply = [number, number, number, string | null, number]

/** The script, called once for all requests of an account in one turn of the event loop. It must not wait to be pipelined. */
export const ADMIT_COMMAND = 'admitRequests'

const SCRIPT = readFileSync(new URL('./admission.lua', import.meta.url), 'utf8')
/** How long requests skip Redis after a failure, so that an outage does not delay each of them. */
const RETRY_AFTER_MS = 1_000
/** A slot whose process died is free again after this time. Longer than any client waits. */
const SLOT_EXPIRES_MS = 90_000

/**
 * A request about an address: a recent result is returned if there is one, otherwise the request takes one of the account's slots. A recent
 * result counts only if Redis still stores it for `recentStoredForMs`, so that results beyond a maximum age are not used; 0 for any.
 */
export type ValidationRequest = {
  recentKey: string | undefined
  recentStoredForMs: number
  slots: number
  slotName: string
}

type Slot = { recent: string | undefined; isFull: boolean }
export type Admitted = Slot & { rate: RateState }

/** Counts requests against the rate limit of their account, over all processes through Redis. Takes slots for validations. */
export type Admission = {
  admit(accountId: string, policy: RatePolicy, validation?: ValidationRequest): Promise<Admitted>
  /** Tries again to take a slot, or to find a recent result, for a request that was counted and found all slots taken. */
  retry(accountId: string, validation: ValidationRequest): Promise<Slot>
  /** Frees the slot of a validation that has ended. */
  release(accountId: string, slotName: string): void
  /** Sets the number of processes that share the limits. */
  setProcessCount(count: number): void
}

/** The script counts no requests against it. */
const COUNTED: RatePolicy = { name: 'counted', quota: 0, windowS: 1 }

/** Assumed by a process that has not reached Redis yet. Rather too many, so that the limits hold. */
const PROCESSES_UNTIL_KNOWN = 10

export function createAdmission(redis: Redis): Admission {
  const local = createLocalAdmission()
  const admitShared = batcherOf(redis)
  const releaseShared = createReleaser(redis)
  let localUntil = 0
  let processes = PROCESSES_UNTIL_KNOWN

  return {
    async admit(accountId, policy, validation) {
      if (performance.now() < localUntil) return local.admit(accountId, policy, validation, processes)
      try {
        return await admitShared(accountId, policy, validation)
      } catch {
        // Redis is unavailable or too slow. Requests are admitted by local limits, and /readyz reports Redis.
        localUntil = performance.now() + RETRY_AFTER_MS
        return local.admit(accountId, policy, validation, processes)
      }
    },
    async retry(accountId, validation) {
      if (performance.now() < localUntil) return local.retry(accountId, validation, processes)
      try {
        return await admitShared(accountId, COUNTED, validation)
      } catch {
        localUntil = performance.now() + RETRY_AFTER_MS
        return local.retry(accountId, validation, processes)
      }
    },
    release(accountId, slotName) {
      local.release(accountId, slotName)
      releaseShared(accountId, slotName)
    },
    setProcessCount: (count) => {
      processes = Math.max(1, count)
    },
  }
}

/** Frees the slots of an account that end within one turn of the event loop with one command: workers end validations in groups. */
function createReleaser(redis: Redis): (accountId: string, slotName: string) => void {
  let released = new Map<string, string[]>()

  function send(): void {
    for (const [accountId, names] of released) {
      void redis.zrem(slotsKey(accountId), ...names).catch(() => {}) // the slot expires
    }
    released = new Map()
  }

  return (accountId, slotName) => {
    if (released.size === 0) setImmediate(send)
    const names = released.get(accountId)
    if (names) names.push(slotName)
    else released.set(accountId, [slotName])
  }
}

type Waiting = {
  policy: RatePolicy
  validation: ValidationRequest | undefined
  resolve(admitted: Admitted): void
  reject(error: unknown): void
}

/** Keeps the script short, because other clients of Redis wait for it. */
const BATCH_MAX = 100

type AdmissionBatcher = ReturnType<typeof createAdmissionBatcher>
const batchers = new WeakMap<Redis, AdmissionBatcher>()

/** One per connection, so that requests are counted in their order of arrival. */
function batcherOf(redis: Redis): AdmissionBatcher {
  const batcher = batchers.get(redis) ?? createAdmissionBatcher(redis)
  batchers.set(redis, batcher)
  return batcher
}

/**
 * Admits the requests of one turn of the event loop together, with one call per account. A busy process reads many requests in one turn, and
 * a call costs as much as its work.
 */
function createAdmissionBatcher(redis: Redis) {
  redis.defineCommand(ADMIT_COMMAND, { lua: SCRIPT })
  let waiting = new Map<string, Waiting[]>()

  function send(): void {
    const batches = waiting
    waiting = new Map()
    for (const [accountId, batch] of batches) {
      for (let n = 0; n < batch.length; n += BATCH_MAX) sendAlike(accountId, batch.slice(n, n + BATCH_MAX))
    }
  }

  function sendAlike(accountId: string, batch: Waiting[]): void {
    const [first] = batch
    if (first === undefined) return
    // The limits of an account change rarely. Requests from before and after a change are counted separately.
    const alike = batch.filter((one) => isAlike(one, first))
    void admitBatch(redis, accountId, alike)
    if (alike.length < batch.length) {
      sendAlike(
        accountId,
        batch.filter((one) => !isAlike(one, first)),
      )
    }
  }

  return (accountId: string, policy: RatePolicy, validation: ValidationRequest | undefined): Promise<Admitted> =>
    new Promise((resolve, reject) => {
      if (waiting.size === 0) setImmediate(send)
      const one: Waiting = { policy, validation, resolve, reject }
      const batch = waiting.get(accountId)
      if (batch) batch.push(one)
      else waiting.set(accountId, [one])
    })
}

function isAlike({ policy, validation }: Waiting, other: Waiting): boolean {
  const isSameRate = policy.quota === other.policy.quota && policy.windowS === other.policy.windowS
  return isSameRate && validation?.slots === other.validation?.slots
}

async function admitBatch(redis: Redis, accountId: string, batch: Waiting[]): Promise<void> {
  const { policy, validation } = batch[0] as Waiting
  const keys = [requestRateKey(accountId), slotsKey(accountId)]
  const limits = [policy.quota, policy.windowS * 1e6, validation?.slots ?? 0, SLOT_EXPIRES_MS * 1e3]
  const values: (string | number)[] = [...limits]
  for (const { validation: one } of batch) {
    keys.push(one?.recentKey ?? noRecentKey(accountId))
    values.push(one?.slotName ?? '', one?.recentStoredForMs ?? 0)
  }
  try {
    const replies = await redis.admitRequests(keys.length, ...keys, ...values)
    for (const [n, one] of batch.entries()) one.resolve(readReply(one, replies[n] as Reply))
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}

function readReply({ policy }: Waiting, [allowed, fullInUs, waitUs, recent, full]: Reply): Admitted {
  return { rate: readRate(policy, allowed === 1, fullInUs, waitUs), recent: recent ?? undefined, isFull: full === 1 }
}

/** Admission within one process, with its share of the limits, so that all processes together stay within them. */
function createLocalAdmission() {
  const rates = createLocalRate()
  const slotsByAccount = new Map<string, Set<string>>()

  function takeSlot(accountId: string, { slots, slotName }: ValidationRequest, processes: number): boolean {
    const taken = slotsByAccount.get(accountId) ?? new Set()
    if (taken.size >= Math.max(1, Math.floor(slots / processes))) return false
    slotsByAccount.set(accountId, taken.add(slotName))
    return true
  }

  return {
    admit(
      accountId: string,
      policy: RatePolicy,
      validation: ValidationRequest | undefined,
      processes: number,
    ): Admitted {
      const share = { ...policy, quota: Math.max(policy.shareMin ?? 1, Math.floor(policy.quota / processes)) }
      const rate = rates.take(accountId, share)
      const isFull = rate.allowed && validation !== undefined && !takeSlot(accountId, validation, processes)
      return { rate, recent: undefined, isFull }
    },
    retry(accountId: string, validation: ValidationRequest, processes: number): Slot {
      return { recent: undefined, isFull: !takeSlot(accountId, validation, processes) }
    },
    release(accountId: string, slotName: string): void {
      const taken = slotsByAccount.get(accountId)
      taken?.delete(slotName)
      if (taken?.size === 0) slotsByAccount.delete(accountId)
    },
  }
}

const HEARTBEAT_EVERY_MS = 2_000
const GONE_AFTER_MS = 10_000

/** Sends heartbeats of this API process and reports how many processes do. They share the limits while Redis is unavailable. */
export function countApiProcesses(redis: Redis, onCount: (count: number) => void): { stop(): void } {
  const name = randomUUID()

  async function beat(): Promise<void> {
    const now = Date.now()
    const commands = redis
      .multi()
      .zadd(API_PROCESSES_KEY, now, name)
      .zremrangebyscore(API_PROCESSES_KEY, 0, now - GONE_AFTER_MS)
      .zcard(API_PROCESSES_KEY)
    const count = (await commands.exec())?.[2]?.[1]
    if (typeof count === 'number') onCount(count)
  }

  // While Redis is unavailable, the last count applies.
  const interval = startInterval(HEARTBEAT_EVERY_MS, beat, { onError: () => {}, unref: true })
  return { stop: () => void interval.stop() }
}
