import { randomUUID } from 'node:crypto'
import { resultNoOf } from '@probity/contract/constants/jobs'
import { formatKey, formatKeyHint, KEY_ALPHABET, KEY_SECRET_LENGTH } from '@probity/contract/constants/keys'
import { hashKey } from '@probity/database/accounts/keys'
import { asOwner, type Db, inTenant, type Trx } from '@probity/database/connection/connect'
import { type ClaimedBatch, claimBatch } from '@probity/database/jobs/batches'
import { settleBatch } from '@probity/database/jobs/settle-batches'
import { finalRow } from '@probity/database/jobs/test-jobs'
import type { SimulatedAddress } from '@probity/lab/simulation/population'
import { sql } from 'kysely'
import type { TestSimulation } from './jobs.ts'

export type PartialJob = { accountId: string; jobId: string; key: string; credits: number }

const BATCHES = 4

/**
 * An account with a key and a partly processed job, as an old version left them: one batch is settled, one is claimed
 * by a worker that died, the rest is queued. In plain SQL, since the inserts of the current version may not fit these
 * tables.
 */
export async function insertPartialJob(
  db: Db,
  simulation: TestSimulation,
  addresses: SimulatedAddress[],
): Promise<PartialJob> {
  const [accountId, jobId, credits] = [randomUUID(), randomUUID(), 1_000]
  const key = formatKey('live', (KEY_ALPHABET[7] ?? '').repeat(KEY_SECRET_LENGTH))
  await asOwner(db, async (trx) => {
    await sql`insert into accounts (id, name, plan) values (${accountId}, 'Of long ago', 'scale')`.execute(trx)
    await sql`
      insert into api_keys (account_id, mode, name, hash, hint, scopes)
      values (${accountId}, 'live', 'old', ${hashKey(key)}, ${formatKeyHint(key)}, '{account:read,jobs:read,jobs:write}')`.execute(
      trx,
    )
    await insertJob(trx, { accountId, jobId, rows: addresses.length })
    await insertBatches(trx, jobId, addresses)
  })
  await inTenant(db, accountId, async (trx) => {
    await sql`select ledger_post('grant', ${credits}, ${randomUUID()})`.execute(trx)
    await sql`select ledger_post('reserve', ${addresses.length}, ${jobId})`.execute(trx)
  })
  const worker = randomUUID() // its worker is dead
  await settleFirst(db, simulation, await claimBatch(db, worker, { jobId, no: 0 }))
  await claimBatch(db, worker, { jobId, no: 1 })
  return { accountId, jobId, key, credits }
}

type Job = { accountId: string; jobId: string }

async function insertJob(trx: Trx, { accountId, jobId, rows }: Job & { rows: number }): Promise<void> {
  const uploadId = randomUUID()
  await sql`
    insert into uploads (id, account_id, mode, filename, size_bytes, columns, delimiter, encoding, header_row, suggested_column, row_count,
      email_count, unique_count, storage_key)
    values (${uploadId}, ${accountId}, 'live', 'old.csv', 1, '{email}', ',', 'utf-8', 1, 'email', ${rows}, ${rows}, ${rows},
      ${randomUUID()})`.execute(trx)
  await sql`
    insert into jobs (id, account_id, mode, upload_id, filename, email_column, state, row_count, email_count, unique_count, credits_per_email,
      refund_unknown, expires_on, next_batch, started_at)
    values (${jobId}, ${accountId}, 'live', ${uploadId}, 'old.csv', 'email', 'processing', ${rows}, ${rows}, ${rows}, 1, true,
      utc_today() + 30, ${BATCHES}, clock_timestamp())`.execute(trx)
  await sql`insert into account_turns (account_id) values (${accountId})`.execute(trx)
}

async function insertBatches(trx: Trx, jobId: string, addresses: SimulatedAddress[]): Promise<void> {
  const size = addresses.length / BATCHES
  for (let no = 0; no < BATCHES; no += 1) {
    const emails = addresses.slice(no * size, (no + 1) * size).map(({ email }) => email)
    const rowNos = emails.map((_, n) => resultNoOf(no * size + n + 2, 0))
    await sql`
      insert into job_batches (expires_on, account_id, job_id, no, row_nos, emails)
      select expires_on, account_id, id, ${no}, ${rowNos}::integer[], ${emails}::text[] from jobs where id = ${jobId}`.execute(
      trx,
    )
    await sql`
      insert into job_queue (job_id, no, account_id, site, site_max, size)
      select id, ${no}, account_id, '', 0, ${size} from jobs where id = ${jobId}`.execute(trx)
  }
}

async function settleFirst(db: Db, simulation: TestSimulation, batch: ClaimedBatch | undefined): Promise<void> {
  if (batch === undefined) throw new Error('the first batch was not claimed')
  const final = batch.emails.map((email, n) => {
    const { status = '', subStatus = '' } = simulation.running.simulation.expected(email).verdicts[0] ?? {}
    return finalRow(batch.rowNos[n] ?? 0, email, { status, subStatus })
  })
  if ((await settleBatch(db, batch, { final, later: [] })) !== 'settled')
    throw new Error('the first batch was not settled')
}
