import { lastingReason } from '@probity/contract/constants/jobs'
import { type Selectable, sql } from 'kysely'
import type { Trx } from '../connection/connect.ts'
import type { Schema } from '../connection/schema.ts'
import type { View } from '../connection/scope.ts'
import { type ResultsLocation, readIndexes, withChunks } from './results/chunk-store.ts'
import { decodeIndex } from './results/result-chunk.ts'
import { STILL_KEPT } from './uploads.ts'

type JobColumns =
  | 'accountId'
  | 'id'
  | 'expiresOn'
  | 'emailColumn'
  | 'ai'
  | 'catchall'
  | 'severalAddresses'
  | 'malformed'
  | 'blankCount'

/** A job whose file can be validated again. */
export type RerunSource = Pick<Selectable<Schema['jobs']>, JobColumns> & {
  isFinished: boolean
  /** Its results are deleted. */
  isExpired: boolean
  /** Null if the file is deleted, or is about to be. */
  upload: Selectable<Schema['uploads']> | null
}

export async function findRerunSource(
  trx: Trx,
  { accountId, mode }: View,
  jobId: string,
): Promise<RerunSource | undefined> {
  const found = await trx
    .selectFrom('jobs')
    .select(['accountId', 'id', 'expiresOn', 'emailColumn', 'ai', 'catchall', 'uploadId', 'finishedAt'])
    .select(['severalAddresses', 'malformed', 'blankCount'])
    .select(sql<boolean>`expires_on < utc_today()`.as('isExpired'))
    .where('accountId', '=', accountId)
    .where('mode', '=', mode)
    .where('id', '=', jobId)
    .executeTakeFirst()
  if (found === undefined) return undefined
  const { uploadId, finishedAt, ...job } = found
  const uploads = trx.selectFrom('uploads').selectAll().where('accountId', '=', accountId).where('id', '=', uploadId)
  const upload = await uploads.where(STILL_KEPT).executeTakeFirst()
  return { ...job, isFinished: finishedAt !== null, upload: upload ?? null }
}

/** Whether another validation can give a result another verdict. */
export function isRerunnable({ status, subStatus }: { status: string; subStatus: string }): boolean {
  return status === 'unknown' && lastingReason(subStatus) === undefined
}

/** The first rows of the addresses whose result is unknown and can change, in any order. */
export function listRerunnableRows(trx: Trx, location: ResultsLocation): Promise<number[]> {
  return withChunks(trx, location, async (set) => {
    const heads = set.heads.filter(({ tally }) =>
      tally.some(({ status, sub_status: subStatus }) => isRerunnable({ status, subStatus })),
    )
    const rowNos: number[] = []
    for await (const group of readIndexes(trx, set, heads)) {
      for (const chunk of group) {
        const index = decodeIndex(chunk)
        for (let n = 0; n < index.size; n++) if (isRerunnable(index.kind(n))) rowNos.push(index.rowNo(n))
      }
    }
    return rowNos
  })
}

/** Unknown results whose reason lasts, by reason. */
export type LastingCount = { reason: string; count: number }

export async function listLastingCounts(trx: Trx, { accountId, id }: ResultsLocation): Promise<LastingCount[]> {
  const counts = trx.selectFrom('jobCounts').select(['subStatus', 'count']).where('accountId', '=', accountId)
  const unknown = await counts
    .where('jobId', '=', id)
    .where('status', '=', 'unknown')
    .orderBy('count', 'desc')
    .execute()
  return unknown.flatMap(({ subStatus, count }) => {
    const reason = lastingReason(subStatus)
    return reason === undefined ? [] : [{ reason, count }]
  })
}

/** Jobs of the account that re-run the unknown rows of a job. */
export async function listUnknownReruns(trx: Trx, { accountId, mode }: View, jobId: string): Promise<string[]> {
  const jobs = trx.selectFrom('jobs').select('id').where('accountId', '=', accountId).where('mode', '=', mode)
  const reruns = await jobs.where('rerunOf', '=', jobId).where('rerunRows', '=', 'unknown').execute()
  return reruns.map(({ id }) => id)
}
