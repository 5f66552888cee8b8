import { resultNoOf } from '@probity/contract/constants/jobs'
import type { SubStatus } from '@probity/contract/constants/validations'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { sandboxResult } from '@probity/contract/schemas/validations/stored-result'
import { asOwner } from '@probity/database/connection/connect'
import { chunkRow } from '@probity/database/jobs/results/result-chunk'
import { orderTestResults, storeTestResults } from '@probity/database/jobs/results/test-results'
import { confirmTestJob } from '@probity/database/jobs/test-jobs'
import { sql } from 'kysely'
import type { TestUser } from '../browser/users.ts'
import type { Instance } from './instance.ts'

/** Every tenth row has the next of these in turn. */
const REASONS: SubStatus[] = ['', '', '', '', '', '', 'catch_all', 'mailbox_not_found', 'mailbox_full', 'timeout']

/** A completed sandbox job with this many results, as a worker stores them. */
export async function openLargeList(
  { db }: Pick<Instance, 'db'>,
  { accountId }: TestUser,
  rows: number,
): Promise<string> {
  const { id } = await confirmTestJob(db, accountId, { uniqueCount: rows, mode: 'test' })
  const results = REASONS.map((subStatus) => sandboxResult('somebody@domain.example', { subStatus }))
  const stored = Array.from({ length: rows }, (_, n) => {
    const email = `person${n + 2}@domain.example`
    return chunkRow(
      { rowNo: resultNoOf(n + 2, 0), email },
      { ...(results[(n + 2) % results.length] as StoredResult), email },
    )
  })
  await storeTestResults(db, id, stored)
  await asOwner(db, (trx) =>
    sql`
      update jobs set state = 'completed', done_count = unique_count, started_at = created_at,
        finished_at = clock_timestamp() where id = ${id}`.execute(trx),
  )
  await orderTestResults(db, id)
  return id
}
