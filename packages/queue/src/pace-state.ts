import type { Redis } from 'ioredis'
import { paceKey } from './pace-key.ts'

/** How a site stands with us just now, as all workers share it. */
export type PaceState = {
  /** Connections that are open. */
  connections: number
  /** Recipients that were refused within the hour. */
  refused: number
  /** How much of its rate it gets, in permille: servers that complained get less for some hours. */
  level: number
  suspendedUntil: Date | null
  suspendedFor: string | null
}

const LEVEL_MAX = 1_000
const LEASE = /^lease:/

/** Reads what pace.lua of the worker keeps. Undefined where nothing was asked of the site for a while. */
export async function readPaceState(
  redis: Redis,
  prefix: string,
  target: { egress: string; site: string },
  now = Date.now(),
): Promise<PaceState | undefined> {
  const fields = Object.entries(await redis.hgetall(paceKey(prefix, target)))
  if (fields.length === 0) return undefined
  const of = new Map(fields)
  const until = Number(of.get('until') ?? 0)
  const isSuspended = until > now
  const ends = fields.filter(([name]) => LEASE.test(name)).map(([, value]) => Number(value.split(':')[0]))
  const refused = fields.filter(([name]) => name.startsWith('refused:')).map(([, value]) => Number(value))
  return {
    connections: ends.filter((end) => end > now).length,
    refused: refused.reduce((sum, count) => sum + count, 0),
    level: Number(of.get('level') ?? LEVEL_MAX),
    suspendedUntil: isSuspended ? new Date(until) : null,
    suspendedFor: isSuspended ? (of.get('reason') ?? null) : null,
  }
}
