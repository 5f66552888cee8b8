import { hash, randomBytes } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { type Db, type Trx, withoutTenant } from '../connection/connect.ts'
import type { Schema } from '../connection/schema.ts'
import type { View } from '../connection/scope.ts'
import type { StatusSums } from './results/result-tallies.ts'

const COLUMNS = ['id', 'jobId', 'createdAt', 'expiresAt'] as const

/** A link to the report of a job. The token is not part of it: only its hash is stored. */
export type ReportLink = Pick<Selectable<Schema['reportLinks']>, (typeof COLUMNS)[number]>

/** A list has a few readers; a link can be given to several of them. */
export const REPORT_LINKS_MAX = 20

const TOKEN_BYTES = 32

type NewLink = { jobId: string; days: number }

type InsertedLink =
  | { kind: 'created'; link: ReportLink; token: string }
  | { kind: 'missing' }
  | { kind: 'unfinished' }
  | { kind: 'too_many' }

/** Creates a link to the report of a job that has ended. Deletes the links of the job that can no longer be opened. */
export async function insertReportLink(trx: Trx, view: View, { jobId, days }: NewLink): Promise<InsertedLink> {
  // The lock makes concurrent requests wait, which would exceed the limit together.
  const jobs = trx.selectFrom('jobs').select('finishedAt').where('accountId', '=', view.accountId)
  const job = await jobs.where('mode', '=', view.mode).where('id', '=', jobId).forUpdate().executeTakeFirst()
  if (job === undefined) return { kind: 'missing' }
  if (job.finishedAt === null) return { kind: 'unfinished' }
  const ended = trx.deleteFrom('reportLinks').where('accountId', '=', view.accountId).where('jobId', '=', jobId)
  await ended.where(({ not }) => not(IS_OPEN)).execute()
  if ((await listReportLinks(trx, view, jobId)).length >= REPORT_LINKS_MAX) return { kind: 'too_many' }

  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const link = await trx
    .insertInto('reportLinks')
    .values({
      accountId: view.accountId,
      jobId,
      tokenHash: hashToken(token),
      expiresAt: sql<Date>`clock_timestamp() + make_interval(days => ${days})`,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return { kind: 'created', link, token }
}

function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

const IS_OPEN = sql<boolean>`(revoked_at is null and expires_at > clock_timestamp())`

/** The links of a job that can be opened, newest first. Their number is limited. */
export function listReportLinks(trx: Trx, { accountId }: View, jobId: string): Promise<ReportLink[]> {
  const links = trx.selectFrom('reportLinks').select(COLUMNS).where('accountId', '=', accountId)
  return links.where('jobId', '=', jobId).where(IS_OPEN).orderBy('createdAt', 'desc').orderBy('id').execute()
}

type LinkRef = { jobId: string; linkId: string }

/** False if the job, in this mode, has no such link that can be opened. */
export async function revokeReportLink(trx: Trx, { accountId, mode }: View, ref: LinkRef): Promise<boolean> {
  const jobs = trx.selectFrom('jobs').select('id').where('accountId', '=', accountId).where('mode', '=', mode)
  const revoked = await trx
    .updateTable('reportLinks')
    .set({ revokedAt: sql<Date>`clock_timestamp()` })
    .where('accountId', '=', accountId)
    .where('jobId', 'in', jobs.where('id', '=', ref.jobId))
    .where('id', '=', ref.linkId)
    .where(IS_OPEN)
    .returning('id')
    .executeTakeFirst()
  return revoked !== undefined
}

/** The job of a link, for the reader of its report. */
export type SharedReport = View & { jobId: string; expiresAt: Date }

/** Undefined if no link that can be opened has this token. */
export async function findSharedReport(db: Db, token: string): Promise<SharedReport | undefined> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<SharedReport>`select * from find_report_link(${hashToken(token)})`.execute(trx),
  )
  return rows[0]
}

/** The results of a job by provider. Null after they have expired, and until they are in row order: nothing is counted for a reader. */
export async function findProviderSums(
  trx: Trx,
  { accountId, jobId }: Pick<SharedReport, 'accountId' | 'jobId'>,
): Promise<(StatusSums & { provider: string })[] | null> {
  const breakdowns = trx.selectFrom('jobBreakdowns').select('tallies').where('accountId', '=', accountId)
  const isKept = sql<boolean>`expires_on >= utc_today()`
  const stored = await breakdowns.where('jobId', '=', jobId).where(isKept).executeTakeFirst()
  return stored?.tallies.providers ?? null
}
