import { type Selectable, sql } from 'kysely'
import type { Trx } from '../connection/connect.ts'
import type { Schema } from '../connection/schema.ts'
import type { View } from '../connection/scope.ts'
import { type ResultsLocation, readIndexes, withChunks } from './results/chunk-store.ts'
import { decodeIndex } from './results/result-chunk.ts'
import { matchesKind, matchRows } from './results/results.ts'
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

const UNKNOWN = { statuses: ['unknown'] }

/** The first rows of the addresses whose result is unknown, in any order. */
export function listUnknownRows(trx: Trx, location: ResultsLocation): Promise<number[]> {
  return withChunks(trx, location, async (set) => {
    const heads = set.heads.filter(({ tally }) =>
      tally.some(({ status, sub_status: subStatus, safe_to_send: safeToSend, override }) =>
        matchesKind(UNKNOWN, { status, subStatus, safeToSend, override }),
      ),
    )
    const rowNos: number[] = []
    for await (const group of readIndexes(trx, set, heads)) {
      for (const chunk of group) {
        const index = decodeIndex(chunk)
        for (const n of matchRows(UNKNOWN, index)) rowNos.push(index.rowNo(n))
      }
    }
    return rowNos
  })
}
