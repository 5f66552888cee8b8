import { healthMessage } from '@probity/contract/constants/system'
import { type LimitedProvider, ProviderHealth } from '@probity/contract/schemas/system'
import { Overview, OverviewQuery } from '@probity/contract/schemas/usage'
import { isUnused, listAlerts } from '@probity/database/accounts/alerts'
import { countProblems } from '@probity/database/accounts/requests'
import { type DayVerdicts, listVerdictsByDay } from '@probity/database/accounts/usage'
import { type Db, inTenant, type Trx } from '@probity/database/connection/connect'
import type { View } from '@probity/database/connection/scope'
import { listJobs } from '@probity/database/jobs/jobs'
import { presentJob } from '@probity/database/jobs/present-job'
import { getProbing } from '@probity/database/validations/probing'
import { listSuspensions, type Suspension } from '@probity/redis/rate-limiter-state'
import type { FastifyRequest } from 'fastify'
import type { Redis } from 'ioredis'
import { MIDDLEWARE_PROBLEMS, operation } from '../http/openapi.ts'
import type { Route } from '../http/route.ts'
import { viewOf } from '../middleware/authentication/auth.ts'

/** The provider suspensions that workers have recorded. Unknown if Redis is unavailable. */
export async function readProviderHealth(redis: Redis, prefix: string): Promise<ProviderHealth> {
  const suspensions = await listSuspensions(redis, prefix).catch(() => undefined)
  if (suspensions === undefined) return withMessage('unknown', [])
  const providers = gather(suspensions)
  return withMessage(providers.length > 0 ? 'limited' : 'normal', providers)
}

function withMessage(status: string, providers: LimitedProvider[]): ProviderHealth {
  return { status, message: healthMessage({ status, providers }, (retryAt) => timeOf(retryAt)), providers }
}

/** Each provider once, with the latest suspension of any egress. */
function gather(suspensions: Suspension[]): LimitedProvider[] {
  const latest = suspensions.toSorted((a, b) => b.until.getTime() - a.until.getTime())
  const first = new Map(latest.toReversed().map((one) => [one.provider, one]))
  return latest
    .filter((one) => first.get(one.provider) === one)
    .map(({ provider, name, reason, until }) => ({ provider, name, reason, retry_at: until.toISOString() }))
}

/** In UTC, with the date unless it is today. */
function timeOf(retryAt: string, now = new Date()): string {
  const time = `${retryAt.slice(11, 16)} UTC`
  return retryAt.slice(0, 10) === now.toISOString().slice(0, 10) ? time : `${retryAt.slice(0, 10)}, ${time}`
}

type OverviewDependencies = {
  db: Db
  redis: Redis
  queuePrefix: string
}

const DAYS_USUAL = 30
const DAY_MS = 86_400_000
const JOBS_MAX = 5
const PROBLEMS_MAX = 10
const ALERTS_MAX = 20
const RUNNING = ['queued', 'planning', 'processing', 'paused']
const ENDED = ['completed', 'canceled', 'failed']

/** Overview of the account, for the dashboard. */
export const showOverview: Route<OverviewDependencies> = async (app, services) => {
  const schema = operation(
    {
      id: 'getOverview',
      tag: 'Account',
      summary: 'Get the overview',
      description:
        'Verdicts by day, jobs, problems of the last 24 hours, alerts and the state of mailbox providers. A part that cannot be read is null; the others are returned. Live keys see live mode, test keys test mode.',
      problems: ['invalid_request', ...MIDDLEWARE_PROBLEMS],
    },
    { querystring: OverviewQuery, response: { 200: Overview } },
  )
  app.get('/overview', { schema, config: { scope: 'account:read' } }, async (request): Promise<Overview> => {
    const { auth, query } = request
    const view = viewOf(auth)
    const now = Date.now()
    const days = { from: dayOf(now - ((query.days ?? DAYS_USUAL) - 1) * DAY_MS), to: dayOf(now) }
    // Without the account the whole request fails with service_unavailable.
    const is_new = await inTenant(services.db, auth.accountId, (trx) => isUnused(trx, view))
    const read = readerOf(services, request, view)
    return {
      livemode: auth.mode === 'live',
      is_new,
      from_on: days.from,
      to_on: days.to,
      verdicts: await read((trx) => listVerdictsByDay(trx, view, days).then(presentVerdicts)),
      jobs: auth.scopes.includes('jobs:read') ? await read((trx) => readJobs(trx, view)) : null,
      problems: await read((trx) => readProblems(trx, view, new Date(now - DAY_MS))),
      alerts: await read((trx) => readAlerts(trx, view)),
      providers: await readProviderHealth(services.redis, services.queuePrefix),
      probing: await read(getProbing),
    }
  })
}

/** Reads one part independently: a part that fails is missing, and the other parts are not affected. */
function readerOf({ db }: { db: Db }, request: FastifyRequest, { accountId }: View) {
  return async <T>(work: (trx: Trx) => Promise<T>): Promise<T | null> => {
    try {
      return await inTenant(db, accountId, work)
    } catch (error) {
      request.log.warn({ err: error }, 'failed to read a part of an overview')
      return null
    }
  }
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

const STATUSES = ['valid', 'invalid', 'risky', 'unknown'] as const

function presentVerdicts(days: DayVerdicts[]): NonNullable<Overview['verdicts']> {
  const total = { valid: 0, invalid: 0, risky: 0, unknown: 0 }
  for (const day of days) for (const status of STATUSES) total[status] += day[status]
  const { day: _, ...today } = days.at(-1) ?? { day: '', ...total }
  return { days: days.map(({ day, ...counts }) => ({ occurred_on: day, ...counts })), total, today }
}

async function readJobs(trx: Trx, view: View): Promise<Overview['jobs']> {
  const page = { skip: 0, limit: JOBS_MAX, withoutUnknownReruns: true }
  const running = await listJobs(trx, view, { ...page, statuses: RUNNING })
  const ended = await listJobs(trx, view, { ...page, statuses: ENDED })
  return { running: running.jobs.map(presentJob), ended: ended.jobs.map(presentJob) }
}

async function readProblems(trx: Trx, view: View, since: Date): Promise<Overview['problems']> {
  const problems = await countProblems(trx, view, since, PROBLEMS_MAX)
  return problems.map(({ status, lastAt, ...rest }) => ({
    ...rest,
    http_status: status,
    last_occurred_at: lastAt.toISOString(),
  }))
}

async function readAlerts(trx: Trx, view: View): Promise<Overview['alerts']> {
  const alerts = await listAlerts(trx, view, ALERTS_MAX)
  return alerts.map(({ at, ...rest }) => ({ ...rest, occurred_at: at?.toISOString() ?? null }))
}

type ProviderHealthDependencies = {
  redis: Redis
  queuePrefix: string
}

/** State of mailbox providers, the same for every account. */
export const showProviderHealth: Route<ProviderHealthDependencies> = async (app, { redis, queuePrefix }) => {
  const schema = operation(
    {
      id: 'getProviderHealth',
      tag: 'Account',
      summary: 'Get the state of mailbox providers',
      description:
        'Mailbox providers that limit or block the probes of this installation, so that more results of their addresses are `unknown`. The same for all accounts. Only well-known providers are listed.',
      problems: MIDDLEWARE_PROBLEMS,
    },
    { response: { 200: ProviderHealth } },
  )
  app.get('/health/providers', { schema, config: { scope: 'account:read' } }, () =>
    readProviderHealth(redis, queuePrefix),
  )
}
