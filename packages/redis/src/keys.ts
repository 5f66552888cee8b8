import { createHash, createHmac, type KeyObject } from 'node:crypto'

type KeyLayout = {
  /** `<…>` stands for a variable part, `(a|b)` for one of several. */
  pattern: string
  type: 'string' | 'hash' | 'sorted set' | 'several' | 'channel'
  lifetime: string
  writers: string
  readers: string
}

/**
 * All keys in Redis. `<prefix>` is the setting QUEUE_PREFIX. Redis Cluster keeps keys with the same text in braces on one node, where one
 * script may use them together. No key contains an email address.
 */
export const REDIS_KEYS: readonly KeyLayout[] = [
  {
    pattern: '<prefix>:(interactive|batches|webhooks):<part>',
    type: 'several', // the layout of BullMQ: lists, hashes, sorted sets, streams
    lifetime: 'until a worker has finished the task',
    writers: 'API (interactive), worker',
    readers: 'worker; API for queue depths',
  },
  {
    pattern: 'answers:<API process>',
    type: 'channel',
    lifetime: 'not stored',
    writers: 'worker',
    readers: 'API',
  },
  {
    pattern: '<prefix>:pace:{<hash of egress and site>}',
    type: 'hash', // its fields are listed in rate-limiter.lua
    lifetime: 'until the rate limiter needs none of its fields: hours, or the end of a suspension',
    writers: 'worker; API when an operator lifts a suspension',
    readers: 'worker, API',
  },
  {
    pattern: '<prefix>:pace:{<hash of egress and site>}:accounts:<slot of five minutes>',
    type: 'sorted set', // accounts by rejected recipients
    lifetime: '65 minutes',
    writers: 'worker',
    readers: 'worker',
  },
  {
    pattern: '<prefix>:suspensions',
    type: 'sorted set', // suspensions as JSON by their end
    lifetime: 'one day after the last suspension',
    writers: 'worker; API when an operator lifts a suspension',
    readers: 'API',
  },
  {
    pattern: '<prefix>:zone:<minute>:<registrable domain>',
    type: 'string', // number of DNS queries
    lifetime: '2 minutes',
    writers: 'worker',
    readers: 'worker',
  },
  {
    pattern: '<prefix>:learnt:<name>',
    type: 'string', // JSON of the probe cache
    lifetime: 'set by the probe cache of the engine',
    writers: 'worker',
    readers: 'worker',
  },
  {
    pattern: 'domain:<domain>',
    type: 'string', // JSON of the DNS facts
    lifetime: 'set by the domain lookup of the engine',
    writers: 'worker',
    readers: 'worker',
  },
  {
    pattern: 'recent:{<account>}:<keyed hash of the address and the request options>',
    type: 'string', // the result as JSON
    lifetime: '24 hours',
    writers: 'worker',
    readers: 'API, worker',
  },
  {
    pattern: 'sandbox:recent:{<account>}:<keyed hash as above>',
    type: 'string', // JSON: id and time of the first request for an address in test mode
    lifetime: '1 hour',
    writers: 'API',
    readers: 'API',
  },
  {
    pattern: 'rate:{<account or limited subject>}',
    type: 'string', // when the quota is full again, in microseconds
    lifetime: 'until the quota is full again',
    writers: 'API',
    readers: 'API',
  },
  {
    pattern: 'places:{<account>}',
    type: 'sorted set', // validations in progress by the time at which their slot expires
    lifetime: '1 minute after the last request',
    writers: 'API',
    readers: 'API',
  },
  {
    pattern: 'api-processes',
    type: 'sorted set', // processes by their last heartbeat
    lifetime: 'unlimited; a process is removed after 10 seconds without a heartbeat',
    writers: 'API',
    readers: 'API',
  },
]

export const QUEUES = ['interactive', 'batches', 'webhooks'] as const
export type QueueName = (typeof QUEUES)[number]

export function queueListKey(prefix: string, queue: QueueName, list: 'wait' | 'active'): string {
  return `${prefix}:${queue}:${list}`
}

export function resultChannel(replyTo: string): string {
  return `answers:${replyTo}`
}

/** A mail server that an egress connects to. */
export type RateLimiterTarget = { egress: string; site: string }

/** Host names are part of a site and chosen by the owners of domains, so the key has a hash of it with a fixed length. */
export function rateLimiterKey(prefix: string, { egress, site }: RateLimiterTarget): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([egress, site]))
    .digest('base64url')
  return `${prefix}:pace:{${hash}}`
}

export function errorSharesKey(prefix: string, target: RateLimiterTarget, slot: number): string {
  return `${rateLimiterKey(prefix, target)}:accounts:${slot}`
}

export function suspensionsKey(prefix: string): string {
  return `${prefix}:suspensions`
}

export function zoneQueriesKey(prefix: string, minute: number, zone: string): string {
  return `${prefix}:zone:${minute}:${zone}`
}

export function probeCacheKey(prefix: string, name: string): string {
  return `${prefix}:learnt:${name}`
}

export function domainFactsKey(domain: string): string {
  return `domain:${domain}`
}

/** The settings that a result depends on, besides the address. */
export type ResultOptions = { ai: boolean; catchall: boolean; sendThreshold: number; excludedTraits: readonly string[] }

/** Contains a keyed hash of the address, so that Redis does not reveal which addresses were validated. */
export function recentKey(secret: KeyObject, accountId: string, emailKey: string, options: ResultOptions): string {
  const { ai, catchall, sendThreshold, excludedTraits } = options
  const how = `${ai} ${catchall} ${sendThreshold} ${excludedTraits.toSorted().join()}`
  const digest = createHmac('sha256', secret).update(`${accountId}\0${emailKey}\0${how}`).digest('base64url')
  return `recent:{${accountId}}:${digest}`
}

/** Never written. It stands for a request without a recent result. */
export function noRecentKey(accountId: string): string {
  return `recent:{${accountId}}:none`
}

export function sandboxKey(recentResultKey: string): string {
  return `sandbox:${recentResultKey}`
}

export function requestRateKey(accountId: string): string {
  return `rate:{${accountId}}`
}

export function slotsKey(accountId: string): string {
  return `places:{${accountId}}`
}

export const API_PROCESSES_KEY = 'api-processes'
