import { sandboxResult } from '@probity/contract/sandbox'
import type { SubStatus } from '@probity/contract/status'
import { asOwner } from '@probity/database/connect'
import { confirmTestJob } from '@probity/database/test-jobs'
import { sql } from 'kysely'
import type { Person } from './test-people.ts'
import type { Product } from './test-product.ts'

/** Every tenth row in turn has the next of these. */
const REASONS: SubStatus[] = ['', '', '', '', '', '', 'catch_all', 'mailbox_not_found', 'mailbox_full', 'timeout']

/** No statement may take long. */
const PORTION = 10_000

/** A list of the sandbox with so many results, as the work on it would have left them. */
export async function openLargeList({ db }: Pick<Product, 'db'>, { accountId }: Person, rows: number): Promise<string> {
  const { id, expiresOn } = await confirmTestJob(db, accountId, { uniqueCount: rows, mode: 'test' })
  const answers = REASONS.map((subStatus) => sandboxResult('somebody@domain.example', { subStatus }))
  const kinds = answers.map((answer, n) => ({ n, status: answer.status, sub_status: answer.sub_status, answer }))
  for (let first = 2; first <= rows + 1; first += PORTION) {
    const last = Math.min(rows + 1, first + PORTION - 1)
    await asOwner(db, (trx) =>
      sql`
        insert into job_results (expires_on, account_id, job_id, row_no, email, status, sub_status, result)
        select ${expiresOn}, ${accountId}, ${id}, row_no, 'person' || row_no || '@domain.example',
          kind.status, kind.sub_status, kind.result
        from generate_series(${first}::integer, ${last}::integer) as row_no
        join json_to_recordset(${JSON.stringify(kinds)}::json) as kind (n integer, status text, sub_status text, result json)
          on kind.n = row_no % ${REASONS.length}::integer`.execute(trx),
    )
  }
  await asOwner(db, async (trx) => {
    await sql`
      insert into job_counts (account_id, job_id, status, sub_status, count)
      select account_id, job_id, status, sub_status, count(*) from job_results where job_id = ${id} group by 1, 2, 3, 4
    `.execute(trx)
    await sql`
      update jobs set state = 'completed', done_count = unique_count, started_at = created_at,
        finished_at = clock_timestamp() where id = ${id}`.execute(trx)
    await sql`analyze job_results`.execute(trx)
  })
  return id
}
