import { LATENCY_BUCKETS_MS } from '@probity/contract/constants/operators'
import {
  EgressControl,
  type OperatorEgress,
  OperatorEgresses,
  type OperatorProvider,
  OperatorProviders,
  OperatorProvidersQuery,
  ProviderControl,
  SuspensionLift,
} from '@probity/contract/schemas/operators'
import { asOperator, type Db } from '@probity/database/connection/connect'
import {
  controlProvider,
  drainEgress,
  listControls,
  type OperatorControls,
  recordLiftedSuspension,
} from '@probity/database/operators/controls'
import { listProcesses, type Process } from '@probity/database/system/processes'
import { listProbes, type ProbeCounts } from '@probity/database/validations/probing'
import { liftSuspension, type RateLimiterState, readRateLimiterState } from '@probity/redis/rate-limiter-state'
import type { Redis } from 'ioredis'
import Type from 'typebox'
import Value from 'typebox/value'
import type { Route } from '../http/route.ts'
import { isLive } from './health.ts'

const Text = Type.Union([Type.String(), Type.Null()])

/** The heartbeat fields that are read here. A worker of another version may not have all of them. */
const WorkerFacts = Type.Object({
  egresses: Type.Array(Type.Object({ name: Type.String(), helo: Type.String(), address: Text, proxy: Text })),
  limits: Type.Record(Type.String(), Type.Object({ connections: Type.Number(), per_minute: Type.Number() })),
})

export type KnownEgress = { name: string; helo: string; address: string | null; proxy: string | null; workers: number }
export type KnownLimits = Record<string, { connections: number; per_minute: number }>

/** The egresses and provider limits reported by running workers. */
export function readWorkers(processes: Process[], now = Date.now()): { egresses: KnownEgress[]; limits: KnownLimits } {
  const workers = processes.filter((one) => one.kind === 'worker' && isLive(one, now))
  const facts = workers.flatMap(({ facts: said }) => (Value.Check(WorkerFacts, said) ? [said] : []))
  const egresses = new Map<string, KnownEgress>()
  for (const egress of facts.flatMap((said) => said.egresses)) {
    egresses.set(egress.name, { ...egress, workers: (egresses.get(egress.name)?.workers ?? 0) + 1 })
  }
  return { egresses: [...egresses.values()], limits: facts.at(-1)?.limits ?? {} }
}

type Counted = Omit<ProbeCounts, 'provider' | 'egress' | 'lastBlock'>

const NAMES = ['probes', 'conclusive', 'deferred', 'blocked', 'noResponse', 'throttled'] as const

/** Sums the counts of several hours or egresses. */
export function sumProbes(rows: Counted[]): Counted {
  const sum: Counted = { probes: 0, conclusive: 0, deferred: 0, blocked: 0, noResponse: 0, throttled: 0, ms: [] }
  for (const row of rows) {
    for (const name of NAMES) sum[name] += row[name]
    for (const [step, count] of row.ms.entries()) sum.ms[step] = (sum.ms[step] ?? 0) + count
  }
  return sum
}

/** Upper bound in milliseconds of the latency bucket with this percentile. Null without probes, or if it is above the last bucket. */
export function percentile(ms: number[], share: number): number | null {
  const all = ms.reduce((sum, count) => sum + count, 0)
  let below = 0
  for (const [step, count] of ms.entries()) {
    below += count
    if (all > 0 && below >= all * share) return LATENCY_BUCKETS_MS[step] ?? null
  }
  return null
}

type Looked = { db: Db; redis: Redis; queuePrefix: string }
type Probe = Awaited<ReturnType<typeof listProbes>>[number]
type Seen = { probes: Probe[]; controls: OperatorControls; egresses: KnownEgress[]; limits: KnownLimits }

async function look({ db }: Looked, hours: number): Promise<Seen> {
  return asOperator(db, async (trx) => ({
    probes: await listProbes(trx, hours),
    controls: await listControls(trx),
    ...readWorkers(await listProcesses(trx)),
  }))
}

/** All providers that were probed in these hours or have a control, those with the most probes first. */
export async function lookAtProviders(services: Looked, hours: number): Promise<OperatorProvider[]> {
  const seen = await look(services, hours)
  const names = new Set([
    ...seen.probes.map(({ provider }) => provider),
    ...seen.controls.providers
      .filter(({ pausedAt, ratePercent }) => pausedAt !== null || ratePercent < 100)
      .map(({ provider }) => provider),
  ])
  const rows = await Promise.all([...names].map((provider) => describeProvider(services, seen, provider)))
  return rows.toSorted((a, b) => b.probes - a.probes || a.provider.localeCompare(b.provider))
}

async function describeProvider(services: Looked, seen: Seen, provider: string): Promise<OperatorProvider> {
  const { probes, throttled, ms, ...outcomes } = sumProbes(seen.probes.filter((row) => row.provider === provider))
  const states = await readStates(services, seen.egresses, provider)
  const control = seen.controls.providers.find((row) => row.provider === provider)
  const limits = seen.limits[provider]
  const suspended = states.filter(({ suspendedUntil }) => suspendedUntil !== null)
  // A provider is suspended only if all egresses are; the suspension ends when the first of them ends.
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
    connections_max: limits ? limits.connections * Math.max(1, seen.egresses.length) : null,
    per_minute: limits?.per_minute ?? null,
    level: states.length === 0 ? 1 : Math.min(...states.map(({ level }) => level)) / 1_000,
    suspension_ends_at: isShut ? (first?.suspendedUntil?.toISOString() ?? null) : null,
    suspension_reason: isShut ? (first?.suspendedFor ?? null) : null,
    suspended_egresses: suspended.length,
    paused_at: control?.pausedAt?.toISOString() ?? null,
    rate_percent: control?.ratePercent ?? 100,
  }
}

/** Unknown providers (the empty id) are many sites, each with its own rate limiter, so they have no common state. */
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

/** The egresses of running workers, and drained ones. */
export async function lookAtEgresses(services: Looked): Promise<OperatorEgress[]> {
  const seen = await look(services, DAY_H)
  const gone = seen.controls.egresses
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
    drained_at: seen.controls.egresses.find((row) => row.egress === egress.name)?.drainedAt?.toISOString() ?? null,
  }
}

type ProvidersDependencies = {
  db: Db
  redis: Redis
  queuePrefix: string
}

const HOURS_USUAL = 24

/** Probe outcomes by provider, and the provider controls. */
export const manageProviders: Route<ProvidersDependencies> = async (app, services) => {
  const { db } = services
  const schema = { querystring: OperatorProvidersQuery, response: { 200: OperatorProviders } }
  app.get('/providers', { schema }, async ({ query: { hours = HOURS_USUAL } }) => ({
    hours,
    providers: await lookAtProviders(services, hours),
  }))

  app.post('/provider_controls', { schema: { body: ProviderControl } }, async ({ body }, reply) => {
    const { provider, is_paused: isPaused, rate_percent: ratePercent } = body
    await asOperator(db, (trx) => controlProvider(trx, provider, { isPaused, ratePercent }))
    return reply.code(204).send()
  })

  app.post('/providers/lift-suspension', { schema: { body: SuspensionLift } }, async ({ body }, reply) => {
    const { redis, queuePrefix } = services
    const { provider } = body
    await asOperator(db, async (trx) => {
      const { egresses } = readWorkers(await listProcesses(trx))
      await recordLiftedSuspension(trx, provider)
      // Before the transaction ends, so that a failure leaves no entry in the audit log.
      await liftSuspension(redis, queuePrefix, { provider, egresses: egresses.map(({ name }) => name) })
    })
    return reply.code(204).send()
  })
}

/** The egresses and their controls. */
export const manageEgresses: Route<ProvidersDependencies> = async (app, services) => {
  app.get('/egress', { schema: { response: { 200: OperatorEgresses } } }, async () => ({
    egresses: await lookAtEgresses(services),
  }))

  app.post(
    '/egress_controls',
    { schema: { body: EgressControl } },
    async ({ body: { egress, is_drained: isDrained } }, reply) => {
      await asOperator(services.db, (trx) => drainEgress(trx, egress, isDrained))
      return reply.code(204).send()
    },
  )
}
