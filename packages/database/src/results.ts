import type { StandingResult } from '@probity/contract/standing-result'
import { type RawBuilder, sql } from 'kysely'
import type { Trx } from './connect.ts'
import { isCounted, isMeant, type ResultsFilter } from './results-filter.ts'
import type { View } from './view.ts'

/** A job as its results are read: where they are, and its file for as long as that is kept. */
export type ResultsJob = {
  accountId: string
  id: string
  expiresOn: string
  /** Its results have left. */
  isExpired: boolean
  filename: string
  emailColumn: string
  file: ResultsFile | null
}

export type ResultsFile = {
  storageKey: string
  encoding: string
  delimiter: string
  hasHeader: boolean
  columns: string[]
}

export async function findResultsJob(trx: Trx, view: View, jobId: string): Promise<ResultsJob | undefined> {
  const found = await trx
    .selectFrom('jobs as j')
    .select(['j.accountId', 'j.id', 'j.uploadId', 'j.expiresOn', 'j.filename', 'j.emailColumn'])
    .select(sql<boolean>`j.expires_on < utc_today()`.as('isExpired'))
    .where('j.accountId', '=', view.accountId)
    .where('j.mode', '=', view.mode)
    .where('j.id', '=', jobId)
    .executeTakeFirst()
  if (found === undefined) return undefined
  const { uploadId, ...job } = found
  return { ...job, file: await findFile(trx, job.accountId, uploadId) }
}

/** Its time counts, and not whether somebody has come by and removed it. */
async function findFile(trx: Trx, accountId: string, uploadId: string): Promise<ResultsFile | null> {
  const file = await trx
    .selectFrom('uploads')
    .select(['storageKey', 'encoding', 'delimiter', 'hasHeader', 'columns'])
    .where('accountId', '=', accountId)
    .where('id', '=', uploadId)
    .where('expiresAt', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst()
  return file ?? null
}

/** Where results are kept. The day is part of the key, so that a look-up touches one partition. */
export type ResultsPlace = Pick<ResultsJob, 'accountId' | 'id' | 'expiresOn'>

export type KeptResult = { rowNo: number; email: string; status: string; subStatus: string; result: StandingResult }

/** Whether the job is still there and its results have not left. */
export async function stillHasResults(trx: Trx, { accountId, id }: ResultsPlace): Promise<boolean> {
  const job = await trx
    .selectFrom('jobs')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('expiresOn', '>=', sql<string>`utc_today()`)
    .executeTakeFirst()
  return job !== undefined
}

type ResultsPage = ResultsFilter & { skip: number; limit: number }

/** One page in the order of rows, and how many there are in all. */
export async function pageResults(
  trx: Trx,
  job: ResultsPlace,
  { skip, limit, ...filter }: ResultsPage,
): Promise<{ results: KeptResult[]; total: number }> {
  const isInCounts = isCounted(filter)
  if (isInCounts === undefined) return pageUncounted(trx, job, { skip, limit, ...filter })
  const results = await resultsOf(trx, job).where(isMeant(filter)).orderBy('rowNo').offset(skip).limit(limit).execute()
  return { results, total: await sumCounts(trx, job, isInCounts) }
}

/** Looks at all results of the job once, both to count them and to find the page. */
async function pageUncounted(trx: Trx, job: ResultsPlace, { skip, limit, ...filter }: ResultsPage) {
  const { rows } = await sql<{ total: number; rowNos: number[] }>`
    with meant as materialized (
      select row_no from job_results
      where expires_on = ${job.expiresOn} and account_id = ${job.accountId} and job_id = ${job.id} and ${isMeant(filter)}
    )
    select (select count(*) from meant) as total,
      array(select row_no from meant order by row_no offset ${skip} limit ${limit}) as row_nos`.execute(trx)
  const { total, rowNos } = rows[0] ?? { total: 0, rowNos: [] }
  const results = await listResultsAt(trx, job, { statuses: [], rowNos })
  return { results: results.toSorted((a, b) => a.rowNo - b.rowNo), total }
}

/** The results behind a row, in the order of rows: with the last row of one page the next is found, however far down it is. */
export function listResultsAfter(
  trx: Trx,
  job: ResultsPlace,
  { afterRow, limit, ...filter }: ResultsFilter & { afterRow: number; limit: number },
): Promise<KeptResult[]> {
  const behind = resultsOf(trx, job).where('rowNo', '>', afterRow)
  return behind.where(isMeant(filter)).orderBy('rowNo').limit(limit).execute()
}

/**
 * The results that stand at these rows and are meant. Each is looked up by its whole key: before PostgreSQL has counted a new
 * partition, it would otherwise rather read the whole job for every page.
 */
export async function listResultsAt(
  trx: Trx,
  job: ResultsPlace,
  { rowNos, ...filter }: ResultsFilter & { rowNos: number[] },
): Promise<KeptResult[]> {
  const { rows } = await sql<KeptResult>`
    select r.row_no, r.email, r.status, r.sub_status, r.result
    from unnest(${rowNos}::integer[]) as n (row_no) cross join lateral (
      select k.* from job_results k
      where k.expires_on = ${job.expiresOn} and k.account_id = ${job.accountId} and k.job_id = ${job.id}
        and k.row_no = n.row_no
      offset 0
    ) r
    where ${isMeant(filter)}`.execute(trx)
  return rows
}

/** The result at one row; none where the address occurs first at another. */
export function findResult(trx: Trx, job: ResultsPlace, rowNo: number): Promise<KeptResult | undefined> {
  return resultsOf(trx, job).where('rowNo', '=', rowNo).executeTakeFirst()
}

function resultsOf(trx: Trx, { expiresOn, accountId, id }: ResultsPlace) {
  return trx
    .selectFrom('jobResults')
    .select((of) => [
      'rowNo',
      'email',
      'status',
      'subStatus',
      of.ref('result').$castTo<StandingResult>().as('result'), // written as such when its batch was settled
    ])
    .where('expiresOn', '=', expiresOn)
    .where('accountId', '=', accountId)
    .where('jobId', '=', id)
}

/** By what was counted when they were kept: a hundred thousand rows are not counted again for each page. */
async function sumCounts(trx: Trx, { accountId, id }: ResultsPlace, isInCounts: RawBuilder<boolean>): Promise<number> {
  const { total } = await trx
    .selectFrom('jobCounts')
    .select((of) => of.fn.coalesce(of.fn.sum<number>('count'), sql<number>`0`).as('total'))
    .where('accountId', '=', accountId)
    .where('jobId', '=', id)
    .where(isInCounts)
    .executeTakeFirstOrThrow()
  return total
}
