import { randomUUID } from 'node:crypto'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { claimPlan } from '../jobs/planning.ts'
import { confirmTestJob } from '../jobs/test-jobs.ts'
import { asOwner } from './connect.ts'
import { createTestDatabase } from './test-database.ts'
import { listTenantTables, openTenantWithRows } from './test-tenant.ts'

const { db, url } = await createTestDatabase()
const tables = await listTenantTables(db)
const mine = await openTenantWithRows(db)
const theirs = await openTenantWithRows(db)

// A row in the state that each function changes.
await confirmTestJob(db, theirs, { uniqueCount: 1 })
await claimPlan(db, randomUUID())
await asOwner(db, async (trx) => {
  await sql`update payments set granted_at = clock_timestamp() where account_id = ${theirs}`.execute(trx)
  await sql`update api_keys set expires_at = clock_timestamp() where account_id = ${theirs} and name = 'key'`.execute(
    trx,
  )
  await sql`
    update job_reviews r set sample_size = 1, state = case j.state when 'processing' then 'sampling' else 'waiting' end
    from jobs j where j.id = r.job_id and r.account_id = ${theirs}`.execute(trx)
  await sql`update jobs set callback_url = 'https://hooks.example.com/job' where account_id = ${theirs}`.execute(trx)
})
await addRerun()

/** A rerun of the completed job that can be merged: the results of both are in row order. */
async function addRerun(): Promise<void> {
  const { id } = await confirmTestJob(db, theirs, { uniqueCount: 1 })
  await asOwner(db, async (trx) => {
    await sql`update result_chunks set generation = 1 where job_id in (
      select id from jobs where account_id = ${theirs} and state = 'completed')`.execute(trx)
    await sql`update jobs set results_generation = 1 where account_id = ${theirs} and state = 'completed'`.execute(trx)
    await sql`update jobs r set state = 'canceled', finished_at = now(), results_generation = 1, rerun_rows = 'unknown', rerun_of = l.id, mode = l.mode
      from jobs l where r.id = ${id} and l.account_id = ${theirs} and l.state = 'completed'`.execute(trx)
  })
}

const client = new Client({ connectionString: url })
await client.connect()
whenDone(() => client.end())

type Outcome = { rows: unknown[]; error: string | undefined; changed: string[] }

/** Calls a function as an account and lists the tables in which rows of the other account changed. Everything is rolled back. */
async function callAs(accountId: string, call: string): Promise<Outcome> {
  await client.query('begin')
  try {
    await client.query(`select set_config('app.account_id', $1, true)`, [accountId])
    const { rows } = await client.query(`select * from ${call}`)
    const after = await hashTheirRows()
    return {
      rows,
      error: undefined,
      changed: [...after].flatMap(([name, hash]) => (hash === BEFORE.get(name) ? [] : name)),
    }
  } catch (error) {
    return { rows: [], error: (error as Error).message, changed: [] }
  } finally {
    await client.query('rollback')
  }
}

async function hashTheirRows(): Promise<Map<string, string>> {
  const each = tables.map(
    ({ table, column }) =>
      `select '${table}' as name, md5(string_agg(t::text, ' ' order by t::text)) as hash from ${table} t where ${column} = '${theirs}'`,
  )
  const { rows } = await client.query<{ name: string; hash: string }>(each.join(' union all '))
  return new Map(rows.map(({ name, hash }) => [name, hash]))
}

const BEFORE = await hashTheirRows()

const job = (state: string) => `(select id from jobs where account_id = '${theirs}' and state = '${state}')`
const one = (column: string, table: string, condition = 'true') =>
  `(select ${column} from ${table} where account_id = '${theirs}' and ${condition} limit 1)`
const KEY = one('id', 'api_keys', "name = 'key'")
const ENDPOINT = one('id', 'webhook_endpoints')
const VALIDATION = one('id', 'validations')
const BATCH = `job_id = ${job('processing')}`
const ONE_VALID = `'[[{"status": "valid", "sub_status": "", "count": 1}]]'`

/** A call of each function that works for one account, with ids of the other account. */
const CALLS: Record<string, string[]> = {
  begin_erasure: [job('completed')],
  begin_merge: [job('canceled')],
  close_event_stream: [one('id', 'event_streams')],
  decide_review: [`${job('completed')}, 'released'`],
  disable_webhook: [`${ENDPOINT}, 'by_owner'`],
  emit_event: [
    `'live', 'job.completed', '{}', false, ${ENDPOINT}`,
    `'live', 'job.completed', '{}', p_callback_job => ${job('processing')}`,
  ],
  end_job: [`${job('processing')}, 'canceled'`],
  erase_events: [`array[${one('id', 'webhook_events')}]`],
  erase_results: [
    `${job('completed')}, ${one('results_generation', 'jobs', "state = 'completed'")}, array[${one('no', 'result_chunks', `job_id = ${job('completed')}`)}],
     array['\\x00'::bytea], array['\\x00'::bytea], '[]'`,
  ],
  fail_job: [`${job('planning')}, ${one('plan_epoch', 'jobs', "state = 'planning'")}`],
  finish_ordering: [`${job('processing')}, 0::smallint, '[]'`],
  finish_validations: [
    `array[${one('expires_on', 'validations')}], array[${VALIDATION}], array[false], array['{}'::json], true`,
  ],
  judge_sample: [job('processing')],
  ledger_post: [`'charge', 1, gen_random_uuid(), 0, ${KEY}`],
  list_erasable_validations: [
    `${one('expires_on', 'validations')}, 'ann@example.com', '00000000-0000-0000-0000-000000000000', 10`,
  ],
  mark_expired_key: [KEY],
  merge_results: [`${job('canceled')}, '{}', '[]', '{}', '{}', '[]'`],
  record_reversal: [`${one('reference', 'payments')}, 1, 1, true, true, clock_timestamp()`],
  resend_deliveries: [`${ENDPOINT}, ${one('id', 'webhook_deliveries')}, clock_timestamp()`],
  rotate_webhook_secret: [`${ENDPOINT}, 'whsec_new', 'whsk_new', 'whpk_new', 1`],
  settle_batches: [
    `${job('processing')}, array[${one('no', 'job_queue', BATCH)}], array[${one('epoch', 'job_queue', BATCH)}], array[1], array[0], array[1],
     ${ONE_VALID}, array[1], array[1], array[1], '\\x0102'`,
  ],
  start_processing: [`${job('planning')}, ${one('plan_epoch', 'jobs', "state = 'planning'")}, 1`],
}

/** The functions with ids that work for all accounts, by the reason. */
const FOR_ALL_ACCOUNTS: Record<string, string[]> = {
  'A worker claims, releases and delivers work of all accounts.': [
    ...[
      'claim_batches',
      'claim_delivery',
      'claim_merge',
      'claim_ordering',
      'claim_plan',
      'claim_validations',
      'release_batch',
    ],
    ...['release_claims', 'settle_delivery'],
  ],
  'The id is that of a process or worker.': [
    ...['delete_process', 'find_probing', 'record_heartbeat', 'record_process'],
  ],
  'Maintenance works for all accounts: uploads that have expired, notifications, the reconciliation of the ledger.': [
    ...['delete_expired_uploads', 'hold_accounts', 'list_reconcilable', 'reconcile_accounts', 'reconcile_jobs'],
    ...['reconcile_validations', 'settle_notification', 'store_ledger_sums'],
  ],
  'The API calls it before it knows the account: the id is that of a user, of an invitation or of the account to enter.':
    [
      ...['create_account', 'find_invitation', 'find_ip_allowlist', 'find_member', 'is_account_suspended'],
      ...['join_by_invitation', 'list_memberships', 'may_share_invitation', 'record_user_event'],
    ],
  'An API process reports the uses of keys and reads the event streams of all accounts together.': [
    ...['record_key_use', 'take_stream_events'],
  ],
  'Only operators may execute it.': ['requeue_job', 'suspend_account'],
  'The id is that of a new row.': ['open_event_stream'],
}

// From the catalog. Functions that no role may execute are called by others, which pass their own account.
const { rows: functions } = await client.query<{ name: string }>(`
  select distinct p.proname as name from pg_proc p
  where p.pronamespace = 'public'::regnamespace and p.prosecdef and p.prorettype <> 'trigger'::regtype
    and p.proargtypes::oid[] && array['uuid'::regtype, 'uuid[]'::regtype, 'bigint'::regtype, 'bigint[]'::regtype]::oid[]
    and exists (select from pg_roles r where r.rolname like 'probity\\_%' and has_function_privilege(r.oid, p.oid, 'execute'))
  order by 1`)

test('every security definer function that takes an id is called here, or listed with the reason', () => {
  const known = [...Object.keys(CALLS), ...Object.values(FOR_ALL_ACCOUNTS).flat()]
  expect(known.toSorted()).toEqual(functions.map(({ name }) => name))
})

const calls = Object.entries(CALLS).flatMap(([name, some]) => some.map((values) => ({ name, values })))

test.for(calls)('$name changes and returns no row of another account', async ({ name, values }) => {
  const own = await callAs(theirs, `${name}(${values})`)
  expect(own.error).toBeUndefined()
  const foreign = await callAs(mine, `${name}(${values})`)
  expect(foreign.changed).toEqual([])
  // The same call changes rows of the account itself, or returns something else to it: otherwise this test would prove nothing.
  if (own.changed.length === 0) expect(foreign.rows).not.toEqual(own.rows)
})
