import { createHash, createHmac, type KeyObject } from 'node:crypto'

type Access = 'read' | 'write' | 'both'

type KeyLayout = {
  /** `<…>` stands for a variable part, `(a|b)` for one of several. */
  pattern: string
  type: 'string' | 'hash' | 'sorted set' | 'several' | 'channel'
  lifetime: string
  /** The processes that may use the key; for a channel, write is to publish and read to subscribe. deploy/redis-users.conf permits the same. */
  access: { api?: Access; worker?: Access; maintenance?: Access }
}

/**
 * All keys in Redis. `<prefix>` is the setting QUEUE_PREFIX. Redis Cluster keeps keys with the same text in braces on one node, where one
 * script may use them together. No key contains an email address.
 */
export const REDIS_KEYS: readonly KeyLayout[] = [
  {
    pattern: '<prefix>:interactive:<part>',
    type: 'several', // the layout of BullMQ: lists, hashes, sorted sets, streams
    lifetime: 'until a worker has finished the task',
    access: { api: 'both', worker: 'both' },
  },
  {
    pattern: '<prefix>:(batches|webhooks):<part>',
    type: 'several', // as above
    lifetime: 'until a worker has finished the task',
    access: { api: 'read', worker: 'both' }, // the API reads the queue depths
  },
  {
    pattern: 'answers:<API process>',
    type: 'channel',
    lifetime: 'not stored',
    access: { api: 'read', worker: 'write' },
  },
  {
    pattern: '<prefix>:pace:{<hash of egress and site>}',
    type: 'hash', // its fields are listed in rate-limiter.lua
    lifetime: 'until the rate limiter needs none of its fields: hours, or the end of a suspension',
    access: { api: 'both', worker: 'both' }, // the API when an operator lifts a suspension
  },
  {
    pattern: '<prefix>:pace:{<hash of egress and site>}:accounts:<slot of five minutes>',
    type: 'sorted set', // accounts by rejected recipients
    lifetime: '65 minutes',
    access: { worker: 'both' },
  },
  {
    pattern: '<prefix>:suspensions',
    type: 'sorted set', // suspensions as JSON by their end
    lifetime: 'one day after the last suspension',
    access: { api: 'both', worker: 'both' },
  },
  {
    pattern: '<prefix>:zone:<minute>:<registrable domain>',
    type: 'string', // number of DNS queries
    lifetime: '2 minutes',
    access: { worker: 'both' },
  },
  {
    pattern: '<prefix>:learnt:<name>',
    type: 'string', // JSON of the probe cache
    lifetime: 'set by the probe cache of the engine',
    access: { worker: 'both' },
  },
  {
    pattern: 'domain:<domain>',
    type: 'string', // JSON of the DNS facts
    lifetime: 'set by the domain lookup of the engine',
    access: { worker: 'both' },
  },
  {
    pattern: 'recent:{<account>}:<keyed hash of the address and the request options>',
    type: 'string', // the result as JSON
    lifetime: '24 hours',
    access: { api: 'both', worker: 'both' },
  },
  {
    pattern: 'sandbox:recent:{<account>}:<keyed hash as above>',
    type: 'string', // JSON: id and time of the first request for an address in test mode
    lifetime: '1 hour',
    access: { api: 'both' },
  },
  {
    pattern: 'rate:{<account or limited subject>}',
    type: 'string', // when the quota is full again, in microseconds
    lifetime: 'until the quota is full again',
    access: { api: 'both' },
  },
  {
    pattern: 'rate:{people:email:<limit and hash of the recipient>}',
    type: 'string', // as above
    lifetime: 'until the quota is full again',
    access: { api: 'both', maintenance: 'both' },
  },
  {
    pattern: 'places:{<account>}',
    type: 'sorted set', // validations in progress by the time at which their slot expires
    lifetime: '90 seconds after the last request',
    access: { api: 'both' },
  },
  {
    pattern: 'api-processes',
    type: 'sorted set', // processes by their last heartbeat
    lifetime: 'unlimited; a process is removed after 10 seconds without a heartbeat',
    access: { api: 'both' },
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
