import type { OperatorEgress, OperatorProvider } from '@probity/contract/schemas/operators'
import { asOperator, type Db } from '@probity/database/connection/connect'
import { listControls, type OperatorControls } from '@probity/database/operators/controls'
import { listProcesses } from '@probity/database/system/processes'
import { listProbes } from '@probity/database/validations/probing'
import { type RateLimiterState, readRateLimiterState } from '@probity/redis/rate-limiter-state'
import type { Redis } from 'ioredis'
import { type KnownEgress, type KnownHabits, readWorkers } from './known-egresses.ts'
import { percentile, sumProbes } from './sum-probes.ts'

type Looked = { db: Db; redis: Redis; queuePrefix: string }
type Probe = Awaited<ReturnType<typeof listProbes>>[number]
type Seen = { probes: Probe[]; brakes: OperatorControls; egresses: KnownEgress[]; habits: KnownHabits }

async function look({ db }: Looked, hours: number): Promise<Seen> {
  return asOperator(db, async (trx) => ({
    probes: await listProbes(trx, hours),
    brakes: await listControls(trx),
    ...readWorkers(await listProcesses(trx)),
  }))
}

/** All providers that were probed in these hours, or that have a control: those with the most probes first. */
export async function lookAtProviders(services: Looked, hours: number): Promise<OperatorProvider[]> {
  const seen = await look(services, hours)
  const names = new Set([
    ...seen.probes.map(({ provider }) => provider),
    ...seen.brakes.providers
      .filter(({ pausedAt, ratePercent }) => pausedAt !== null || ratePercent < 100)
      .map(({ provider }) => provider),
  ])
  const rows = await Promise.all([...names].map((provider) => describeProvider(services, seen, provider)))
  return rows.toSorted((a, b) => b.probes - a.probes || a.provider.localeCompare(b.provider))
}

async function describeProvider(services: Looked, seen: Seen, provider: string): Promise<OperatorProvider> {
  const { probes, throttled, ms, ...outcomes } = sumProbes(seen.probes.filter((row) => row.provider === provider))
  const states = await readStates(services, seen.egresses, provider)
  const brake = seen.brakes.providers.find((row) => row.provider === provider)
  const habits = seen.habits[provider]
  const suspended = states.filter(({ suspendedUntil }) => suspendedUntil !== null)
  // All ways out must be turned away before nobody is asked; until when is when the first may again.
  const isShut = states.length > 0 && suspended.length === seen.egresses.length
  const first = suspended.toSorted((a, b) => Number(a.suspendedUntil) - Number(b.suspendedUntil)).at(0)
  const share = (count: number) => (probes === 0 ? null : count / probes)
  return {
    provider,
    probes,
    throttled,
    conclusive: share(outcomes.conclusive),
    deferred: share(outcomes.deferred),
    blocked: share(outcomes.blocked),
    no_response: share(outcomes.noResponse),
    p50_ms: percentile(ms, 0.5),
    p95_ms: percentile(ms, 0.95),
    connections: states.reduce((sum, state) => sum + state.connections, 0),
    connections_max: habits ? habits.connections * Math.max(1, seen.egresses.length) : null,
    per_minute: habits?.per_minute ?? null,
    level: states.length === 0 ? 1 : Math.min(...states.map(({ level }) => level)) / 1_000,
    suspension_ends_at: isShut ? (first?.suspendedUntil?.toISOString() ?? null) : null,
    suspension_reason: isShut ? (first?.suspendedFor ?? null) : null,
    suspended_egresses: suspended.length,
    paused_at: brake?.pausedAt?.toISOString() ?? null,
    rate_percent: brake?.ratePercent ?? 100,
  }
}

/** Those that we do not know are many sites, and each has a pace of its own. */
async function readStates(
  { redis, queuePrefix }: Looked,
  egresses: KnownEgress[],
  provider: string,
): Promise<RateLimiterState[]> {
  if (provider === '') return []
  const states = await Promise.all(
    egresses.map(({ name: egress }) =>
      readRateLimiterState(redis, queuePrefix, { egress, site: provider }).catch(() => undefined),
    ),
  )
  return states.filter((state) => state !== undefined)
}

const DAY_H = 24

/** Each way out of the workers that live, and those that were drained. */
export async function lookAtEgresses(services: Looked): Promise<OperatorEgress[]> {
  const seen = await look(services, DAY_H)
  const gone = seen.brakes.egresses
    .filter(({ egress, drainedAt }) => drainedAt !== null && !seen.egresses.some(({ name }) => name === egress))
    .map(({ egress }) => ({ name: egress, helo: egress, address: null, proxy: null, workers: 0 }))
  return Promise.all([...seen.egresses, ...gone].map((egress) => describeEgress(services, seen, egress)))
}

async function describeEgress(
  { redis, queuePrefix }: Looked,
  seen: Seen,
  egress: KnownEgress,
): Promise<OperatorEgress> {
  const own = seen.probes.filter((row) => row.egress === egress.name)
  const blocked = own.filter(({ lastBlockAt }) => lastBlockAt !== null)
  const last = blocked.toSorted((a, b) => Number(b.lastBlockAt) - Number(a.lastBlockAt)).at(0)
  const providers = [...new Set(own.map(({ provider }) => provider))].filter((provider) => provider !== '')
  const states = await Promise.all(
    providers.map(async (provider) => ({
      provider,
      state: await readRateLimiterState(redis, queuePrefix, { egress: egress.name, site: provider }).catch(
        () => undefined,
      ),
    })),
  )
  const { probes, blocked: blockedCount } = sumProbes(own)
  return {
    ...egress,
    connections: states.reduce((sum, { state }) => sum + (state?.connections ?? 0), 0),
    probes_24h: probes,
    blocked_24h: blockedCount,
    suspensions: states.flatMap(({ provider, state }) =>
      state?.suspendedUntil
        ? [{ provider, ends_at: state.suspendedUntil.toISOString(), reason: state.suspendedFor }]
        : [],
    ),
    last_block: last?.lastBlock ?? null,
    last_block_at: last?.lastBlockAt?.toISOString() ?? null,
    drained_at: seen.brakes.egresses.find((row) => row.egress === egress.name)?.drainedAt?.toISOString() ?? null,
  }
}
