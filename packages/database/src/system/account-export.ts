import { positionOf, rowOf } from '@probity/contract/constants/jobs'
import { type RawBuilder, sql } from 'kysely'
import { type Db, openSnapshot, type Trx } from '../connection/connect.ts'
import { listChunks, readChunks } from '../jobs/results/chunk-store.ts'
import { type ChunkRow, decodeChunk } from '../jobs/results/result-chunk.ts'

type Part = RawBuilder<unknown> | ((trx: Trx) => AsyncGenerator<string[]>)

/** The parts of an account export, in order. Columns are listed one by one, so that a secret that is added later is not exported. */
const PARTS: Record<string, Part> = {
  account: sql`select id, name, slug, plan, unlimited, available, reserved, spent as used, debt, retention_days, low_credits, send_threshold,
    excluded_traits, ip_allow_list as ip_allowlist, created_at from accounts where id = app_account()`,
  member: sql`select * from list_account_members()`,
  invitation: sql`select email, role, status, expires_at, created_at from invitations`,
  api_key: sql`select id, mode = 'live' as livemode, kind as type, name, hint, scopes, ip_allow_list as ip_allowlist, monthly_cap, allowed_origins, allowed_policies, visitor_cap,
    created_at, expires_at, paused_at, revoked_at, last_used_at, last_request, replaces as replaces_key_id, replaced_by as replaced_by_key_id from api_keys`,
  webhook: sql`select id, mode = 'live' as livemode, url, description, events, state, disabled_reason, disabled_at, failing_since, created_at
    from webhook_endpoints where job_id is null`,
  policy: sql`select id, name, description, rules, fallback as "default", created_at from policies`,
  override: sql`select id, target, action, note, created_by, created_at from overrides`,
  upload: sql`select id, mode = 'live' as livemode, filename, size_bytes, columns, row_count, email_count, unique_count, created_at, expires_at
    from uploads`,
  job: sql`select id, mode = 'live' as livemode, upload_id, key_id, filename, name, tags, email_column, reference, state, paused_at, row_count, email_count, unique_count,
    done_count, refunded_count, expires_on, created_at, started_at, finished_at, callback_url, rerun_of, rerun_rows,
    merged_at from jobs`,
  report_link: sql`select id, job_id, created_at, expires_at, revoked_at from report_links`,
  job_result: readResults,
  validation: sql`select id, key_id, email, state, result, created_at, finished_at, expires_on
    from validations where expires_on >= utc_today()`,
  webhook_event: sql`select id, mode = 'live' as livemode, type, body, created_at from webhook_events where expires_on >= utc_today()`,
  notice: sql`select kind, data, created_at, sent_at from notifications`,
  domain_outcome: sql`select domain, delivered, bounced, counted_at from domain_outcomes`,
  usage: sql`select day, key_id, requests, credits_used, credits_committed, credits_refunded from usage_days`,
  ledger_entry: sql`select kind, subject, part as number, d_available, d_reserved, d_spent, key_id, note, at from ledger order by id`,
  payment: sql`select reference, credits, created_at, granted_at, credits_reversed, is_disputed from payments`,
  subscription: sql`select id, price, is_paid as pays, began_at from subscriptions`,
}

export const EXPORT_RECORDS = Object.keys(PARTS)

const ROWS_AT_ONCE = 200

/**
 * All stored data of an account as lines of JSON, in one consistent snapshot. The next rows are read when the previous ones were
 * consumed. The last line has the number of the others, so that a truncated file is detected.
 */
export async function* exportAccount(db: Db, accountId: string): AsyncGenerator<string> {
  const { trx, close } = await openSnapshot(db, accountId)
  let records = 0
  try {
    yield `${JSON.stringify({ record: 'export', format: 1, account_id: accountId, at: new Date().toISOString() })}\n`
    for (const [record, part] of Object.entries(PARTS)) {
      for await (const lines of typeof part === 'function' ? part(trx) : readPart(trx, record, part)) {
        records += lines.length
        yield `${lines.join('\n')}\n`
      }
    }
    yield `${JSON.stringify({ record: 'end', records })}\n`
  } finally {
    await close()
  }
}

async function* readPart(trx: Trx, record: string, part: RawBuilder<unknown>): AsyncGenerator<string[]> {
  await sql`declare reading no scroll cursor for
    select row_to_json(r)::text as line from (select ${sql.lit(record)} as record, p.* from (${part}) p) r`.execute(trx)
  for (;;) {
    const { rows } = await sql<{ line: string }>`fetch ${sql.lit(ROWS_AT_ONCE)} from reading`.execute(trx)
    if (rows.length > 0) yield rows.map(({ line }) => line.replaceAll('\n', ' '))
    if (rows.length < ROWS_AT_ONCE) break
  }
  await sql`close reading`.execute(trx)
}

/** The results of all jobs, chunk by chunk. The texts of results are written as they are stored. */
async function* readResults(trx: Trx): AsyncGenerator<string[]> {
  const jobs = await trx
    .selectFrom('jobs')
    .select(['id', 'accountId', 'expiresOn'])
    .where('expiresOn', '>=', sql<string>`utc_today()`)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  for (const job of jobs) {
    for await (const group of readChunks(trx, await listChunks(trx, job))) {
      for (const chunk of group) yield decodeChunk(chunk).map((row) => writeResult(job.id, row))
    }
  }
}

function writeResult(jobId: string, { rowNo, email, status, subStatus, override, result }: ChunkRow): string {
  const head = {
    record: 'job_result',
    list_id: jobId,
    row: rowOf(rowNo),
    position: positionOf(rowNo) + 1,
    email,
    status,
    sub_status: subStatus,
    override: override,
  }
  return `${JSON.stringify(head).slice(0, -1)},"result":${result}}`
}
