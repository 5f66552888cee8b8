import { REPORT_LINK_DAYS_DEFAULT } from '@probity/contract/constants/limits'
import { containsAddressLike } from '@probity/contract/constants/text'
import { JobParams } from '@probity/contract/schemas/jobs/jobs'
import {
  CreateReportLink,
  Report,
  type ReportLink,
  ReportLinkList,
  ReportLinkParams,
  ReportLinkWithUrl,
  ReportRequest,
} from '@probity/contract/schemas/jobs/reports'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { findJob, type Job } from '@probity/database/jobs/jobs'
import { presentJob } from '@probity/database/jobs/present-job'
import {
  findProviderSums,
  findSharedReport,
  insertReportLink,
  listReportLinks,
  type ReportLink as OwnLink,
  revokeReportLink,
  type SharedReport,
} from '@probity/database/jobs/report-links'
import type { Admission } from '@probity/redis/admission'
import Type from 'typebox'
import { BODY_PROBLEMS, IDEMPOTENCY_PROBLEMS, MIDDLEWARE_PROBLEMS, operation } from '../http/openapi.ts'
import { found, Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { viewOf } from '../middleware/authentication/auth.ts'
import type { UserAuthentication } from '../middleware/authentication/session.ts'
import { limitUser } from '../middleware/rate-limit/user-limits.ts'

type LinkDependencies = { db: Db; people: Pick<UserAuthentication, 'publicUrl'> }

/** Creates a link to the report of a job. */
export const createReportLink: Route<LinkDependencies> = async (app, { db, people }) => {
  const create = operation(
    {
      id: 'createReportLink',
      tag: 'Jobs',
      summary: 'Create a report link',
      description: `Creates a link to a page with the sums and charts of a job that has ended, for readers without a login. The page contains no address and no domain; of the account it shows only the name of the list. The link expires after ${REPORT_LINK_DAYS_DEFAULT} days, or after \`expires_in_days\`, and can be revoked.`,
      problems: [
        'invalid_request',
        'not_found',
        'job_not_finished',
        'too_many_report_links',
        ...BODY_PROBLEMS,
        ...IDEMPOTENCY_PROBLEMS,
        ...MIDDLEWARE_PROBLEMS,
      ],
    },
    { params: JobParams, body: CreateReportLink, response: { 201: ReportLinkWithUrl } },
  )
  const creating = { scope: 'jobs:write', idempotency: 'secret', isBodyOptional: true } as const
  app.post('/bulk/jobs/:job_id/report-links', { schema: create, config: creating }, async (request, reply) => {
    const { auth, params, body } = request
    const wanted = { jobId: params.job_id, days: body.expires_in_days ?? REPORT_LINK_DAYS_DEFAULT }
    const created = await inTenant(db, auth.accountId, (trx) => insertReportLink(trx, viewOf(auth), wanted))
    if (created.kind === 'missing') throw new Problem('not_found')
    if (created.kind === 'unfinished') throw new Problem('job_not_finished')
    if (created.kind === 'too_many') throw new Problem('too_many_report_links')
    const base = people.publicUrl ?? `${request.protocol}://${request.host}`
    return reply.code(201).send({ ...presentLink(created.link), url: `${base}/app/report#${created.token}` })
  })
}

/** Links to the report of a job: list and revoke. */
export const manageReportLinks: Route<{ db: Db }> = async (app, { db }) => {
  const list = operation(
    {
      id: 'listReportLinks',
      tag: 'Jobs',
      summary: 'List the report links of a job',
      description: 'The links that can be opened, newest first, without their URLs.',
      problems: ['invalid_request', 'not_found', ...MIDDLEWARE_PROBLEMS],
    },
    { params: JobParams, response: { 200: ReportLinkList } },
  )
  const reading = { scope: 'jobs:read' } as const
  app.get('/bulk/jobs/:job_id/report-links', { schema: list, config: reading }, ({ auth, params }) =>
    inTenant(db, auth.accountId, async (trx) => {
      found(await findJob(trx, viewOf(auth), params.job_id))
      return (await listReportLinks(trx, viewOf(auth), params.job_id)).map(presentLink)
    }),
  )

  const revoke = operation(
    {
      id: 'revokeReportLink',
      tag: 'Jobs',
      summary: 'Revoke a report link',
      description: 'The report can no longer be opened with this link.',
      problems: ['invalid_request', 'not_found', ...MIDDLEWARE_PROBLEMS],
    },
    { params: ReportLinkParams, response: { 204: Type.Null({ description: 'The link was revoked.' }) } },
  )
  const revoking = { scope: 'jobs:write' } as const
  app.delete(
    '/bulk/jobs/:job_id/report-links/:link_id',
    { schema: revoke, config: revoking },
    async ({ auth, params }, reply) => {
      const { job_id: jobId, link_id: linkId } = params
      const isRevoked = await inTenant(db, auth.accountId, (trx) =>
        revokeReportLink(trx, viewOf(auth), { jobId, linkId }),
      )
      if (!isRevoked) throw new Problem('not_found')
      return reply.code(204).send(null)
    },
  )
}

function presentLink({ id, jobId, createdAt, expiresAt }: OwnLink): ReportLink {
  return { id, job_id: jobId, created_at: createdAt.toISOString(), expires_at: expiresAt.toISOString() }
}

type ReportDependencies = { db: Db; admission: Admission; people: UserAuthentication }

/** The report of a link, for readers without a session. The token is in the body, so that no log of URLs contains it. */
export const showReport: Route<ReportDependencies> = async (app, services) => {
  const { db } = services
  app.post('/report', { schema: { body: ReportRequest, response: { 200: Report } } }, async (request) => {
    await limitUser(services, request, 'plain')
    const shared = found(await findSharedReport(db, request.body.token))
    return inTenant(db, shared.accountId, async (trx) => {
      const job = found(await findJob(trx, shared, shared.jobId))
      return presentReport(shared, job, await findProviderSums(trx, shared))
    })
  })
}

/** Field by field: a field that is added to jobs is not published. A name with an address is not, either. */
function presentReport(shared: SharedReport, job: Job, providers: Report['by_provider']): Report {
  const shown = presentJob(job)
  const { name, status, created_at, finished_at, livemode, row_count, unique_count, duplicate_count, status_counts } =
    shown
  const { line_count, blank_count, empty_count, not_address_count, left_out_count, extra_address_count } = shown
  return {
    name: containsAddressLike(name) ? 'List' : name,
    status,
    created_at,
    finished_at,
    link_expires_at: shared.expiresAt.toISOString(),
    livemode,
    row_count,
    ...{ line_count, blank_count, empty_count, not_address_count, left_out_count, extra_address_count },
    several_addresses: shown.several_addresses,
    unique_count,
    duplicate_count,
    status_counts,
    by_reason: job.counts
      .map(({ status: of, subStatus, count }) => ({ status: of, sub_status: subStatus, count }))
      .toSorted((a, b) => b.count - a.count || a.sub_status.localeCompare(b.sub_status)),
    by_provider:
      providers?.map(({ provider, count, valid, invalid, risky, unknown }) => {
        return { provider, count, valid, invalid, risky, unknown }
      }) ?? null,
  }
}
