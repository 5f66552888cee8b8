import { Overview, OverviewQuery } from '@probity/contract/schemas/usage'
import { isUnused, listAlerts } from '@probity/database/accounts/alerts'
import { countProblems } from '@probity/database/accounts/requests'
import { type DayVerdicts, listVerdictsByDay } from '@probity/database/accounts/usage'
import { type Db, inTenant, type Trx } from '@probity/database/connection/connect'
import type { View } from '@probity/database/connection/scope'
import { listJobs } from '@probity/database/jobs/jobs'
import { presentJob } from '@probity/database/jobs/present-job'
import { getProbing } from '@probity/database/validations/probing'
import type { FastifyRequest } from 'fastify'
import type { Redis } from 'ioredis'
import { DOOR_PROBLEMS, operation } from '../http/openapi.ts'
import type { Route } from '../http/route.ts'
import { viewOf } from '../middleware/authentication/scope.ts'
import { readProviderHealth } from './read-provider-health.ts'

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
        'Verdicts by day, jobs, problems of the last 24 hours, alerts and the state of mail providers. A part that cannot be read is null; the others are returned. Live keys see live mode, test keys test mode.',
      problems: ['invalid_request', ...DOOR_PROBLEMS],
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

/** Reads one part by itself. One that fails is missing and takes no other with it. */
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
  const page = { skip: 0, limit: JOBS_MAX }
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
