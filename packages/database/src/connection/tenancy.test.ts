import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { asOwner, connect, inTenant, type Trx, withoutTenant } from './connect.ts'
import { createTestDatabase } from './test-database.ts'
import { listTenantTables, openTenantWithRows } from './test-tenant.ts'

const { db, url } = await createTestDatabase()

const tables = await listTenantTables(db)
const mine = await openTenantWithRows(db)
const theirs = await openTenantWithRows(db)

function count(table: string, column?: string, accountId?: string) {
  const whose = column && accountId ? sql`where ${sql.ref(column)} = ${accountId}` : sql``
  return async (trx: Trx) => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)} ${whose}`.execute(trx)
    return rows[0]?.n
  }
}

const PERMISSION_DENIED = expect.objectContaining({ code: '42501' })

test('the catalog query finds the tenant tables', () => {
  const names = tables.map(({ table }) => table)
  expect(names).toEqual(expect.arrayContaining(['accounts', 'api_keys', 'ledger', 'usage_days', 'validations']))
})

test.for(tables)('$table is under row-level security with a policy', ({ secured, policies }) => {
  expect(secured).toBe(true)
  expect(policies).toBeGreaterThan(0)
})

test.for(tables)('$table returns a tenant its own rows only', async ({ table, column }) => {
  for (const [tenant, other] of [
    [mine, theirs],
    [theirs, mine],
  ] as const) {
    expect(await inTenant(db, tenant, count(table, column, other))).toBe(0)
    const own = await inTenant(db, tenant, count(table, column, tenant))
    expect(own).toBeGreaterThan(0)
    expect(await inTenant(db, tenant, count(table))).toBe(own)
  }
})

test.for(tables)('$table returns no row without a tenant', async ({ table }) => {
  expect(await withoutTenant(db, count(table))).toBe(0)

  const fresh = connect(url, { connectionsMax: 1 })
  onTestFinished(() => fresh.destroy())
  const unset = await asOwner(fresh, async (trx) => {
    await sql`set local role probity_app`.execute(trx)
    return count(table)(trx)
  })
  expect(unset).toBe(0)
})

test.for(tables)('$table throws for a tenant that is not a UUID', async ({ table }) => {
  for (const tenant of ['all', '%', 'null', `${mine} or true`]) {
    await expect(inTenant(db, tenant, count(table))).rejects.toThrow('invalid input syntax for type uuid')
  }
})

test.for(tables)('$table rejects rows for another account', async ({ table, column }) => {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ row: object }>`
      select to_jsonb(t) as row from ${sql.table(table)} t where ${sql.ref(column)} = ${theirs} limit 1`.execute(trx),
  )
  const written = sql.join((await asOwner(db, (trx) => listWrittenColumns(trx, table))).map((name) => sql.ref(name)))
  const insert = sql`
    insert into ${sql.table(table)} (${written}) overriding system value
    select ${written} from jsonb_populate_record(null::${sql.table(table)}, ${JSON.stringify(rows[0]?.row)})`
  await expect(inTenant(db, mine, (trx) => insert.execute(trx))).rejects.toEqual(PERMISSION_DENIED)

  const give = sql`update ${sql.table(table)} set ${sql.ref(column)} = ${theirs}`
  await expect(inTenant(db, mine, (trx) => give.execute(trx))).rejects.toEqual(PERMISSION_DENIED)
})

test.for(tables)(
  '$table does not allow a tenant to change or delete the rows of another',
  async ({ table, column }) => {
    const columns = await asOwner(db, (trx) => listUpdatableColumns(trx, table))
    for (const name of columns) {
      const update = sql`update ${sql.table(table)} set ${sql.ref(name)} = ${sql.ref(name)}
      where ${sql.ref(column)} = ${theirs}`
      const { numAffectedRows } = await inTenant(db, mine, (trx) => update.execute(trx))
      expect(numAffectedRows).toBe(0n)
    }

    const remove = sql`delete from ${sql.table(table)} where ${sql.ref(column)} = ${theirs}`
    const removed = inTenant(db, mine, (trx) => remove.execute(trx))
    const outcome = await removed.then(
      ({ numAffectedRows }) => numAffectedRows,
      (error: { code: string }) => error.code,
    )
    expect([0n, '42501']).toContain(outcome)
  },
)

/** All columns except generated ones. */
async function listWrittenColumns(trx: Trx, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`.execute(trx)
  return rows.map(({ name }) => name)
}

async function listUpdatableColumns(trx: Trx, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped
      and has_column_privilege('probity_app', attrelid, attnum, 'update')`.execute(trx)
  return rows.map((row) => row.name)
}

test('the role of the API has no role attributes and is a member of no other role', async () => {
  const { rows } = await asOwner(db, (trx) =>
    sql`select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, rolcanlogin,
               (select count(*) from pg_auth_members m where m.member = r.oid) as memberships,
               (select count(*) from pg_class c where c.relowner = r.oid) as relations,
               (select count(*) from pg_proc p where p.proowner = r.oid) as functions
        from pg_roles r where rolname = 'probity_app'`.execute(trx),
  )
  const powers = { rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false }
  const none = { memberships: 0, relations: 0, functions: 0 }
  expect(rows).toEqual([{ ...powers, rolreplication: false, rolcanlogin: false, ...none }])
})

test('the role of the API can neither create tables nor disable row-level security', async () => {
  const attempts = [
    sql`create table loot (id integer)`,
    ...tables.flatMap(({ table }) => [
      sql`alter table ${sql.table(table)} disable row level security`,
      sql`alter table ${sql.table(table)} no force row level security`,
      sql`drop policy tenant on ${sql.table(table)}`,
      sql`create policy everything on ${sql.table(table)} using (true)`,
      sql`truncate ${sql.table(table)}`,
      sql`drop table ${sql.table(table)}`,
    ]),
  ]
  for (const attempt of attempts) {
    await expect(inTenant(db, mine, (trx) => attempt.execute(trx))).rejects.toEqual(PERMISSION_DENIED)
  }
})

test('partitions and owner views, which have no policy, grant no rights', async () => {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ name: string; rights: boolean }>`
      select c.relname as name,
             has_table_privilege('probity_app', c.oid, 'select, insert, update, delete, truncate, references, trigger')
             or has_any_column_privilege('probity_app', c.oid, 'select, insert, update, references') as rights
      from pg_class c where c.relnamespace = 'public'::regnamespace
        and ((c.relkind = 'r' and c.relispartition) or c.relkind in ('v', 'm'))`.execute(trx),
  )
  expect(rows.length).toBeGreaterThan(30)
  expect(rows.filter(({ rights }) => rights)).toEqual([])
  for (const { name } of rows.slice(0, 3)) {
    await expect(inTenant(db, mine, count(name))).rejects.toEqual(PERMISSION_DENIED)
  }
})

test('only these functions bypass row-level security, each with a fixed search path', async () => {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ name: string; fixed: boolean }>`
      select proname as name, 'search_path=public, pg_temp' = any (proconfig) as fixed
      from pg_proc where pronamespace = 'public'::regnamespace and prosecdef and prorettype <> 'trigger'::regtype
        and has_function_privilege('probity_app', oid, 'execute')
      order by proname`.execute(trx),
  )
  const names = [
    'admit_domain_addresses',
    'api_keys_changed_within',
    'begin_doctor_run',
    'begin_erasure',
    'begin_merge',
    'begin_reconciliation',
    'claim_batches',
    'claim_delivery',
    'claim_merge',
    'claim_notifications',
    'claim_ordering',
    'claim_plan',
    'claim_setup',
    'claim_validations',
    'close_account',
    'close_event_stream',
    'count_domain_addresses',
    'create_account',
    'decide_review',
    'delete_closed_account',
    'delete_decayed_outcomes',
    'delete_ended_batches',
    'delete_ended_sessions',
    'delete_expired_deliveries',
    'delete_expired_uploads',
    'delete_old_audit_entries',
    'delete_old_domain_days',
    'delete_old_notifications',
    'delete_old_payments',
    'delete_process',
    'disable_webhook',
    'dispatch_batches',
    'dispatch_deliveries',
    'drop_expired_partitions',
    'emit_event',
    'end_job',
    'end_reconciliation',
    'erase_events',
    'erase_mentions',
    'erase_results',
    'fail_job',
    'find_api_key',
    'find_billing_account',
    'find_invitation',
    'find_ip_allowlist',
    'find_member',
    'find_pending_work',
    'find_probing',
    'find_report_link',
    'find_session',
    'finish_ordering',
    'finish_validations',
    'has_worker',
    'hold_accounts',
    'is_account_suspended',
    'is_allowed_origin',
    'is_setup_needed',
    'is_setup_token',
    'join_by_invitation',
    'judge_sample',
    'ledger_post',
    'list_account_members',
    'list_due_samples',
    'list_erasable_validations',
    'list_expired_jobs',
    'list_expired_uploads',
    'list_expired_validations',
    'list_memberships',
    'list_overdue_validations',
    'list_reconcilable',
    'list_unclaimed_validations',
    'make_partitions',
    'may_share_invitation',
    'merge_results',
    'notify_expiring_results',
    'open_event_stream',
    'reconcile_accounts',
    'reconcile_jobs',
    'reconcile_validations',
    'record_erasure',
    'record_export',
    'record_heartbeat',
    'record_key_use',
    'record_probes',
    'record_process',
    'record_requests',
    'record_reversal',
    'record_subscription',
    'record_unrecognized_replies',
    'record_user_event',
    'record_verdict_days',
    'release_batch',
    'release_claims',
    'resend_deliveries',
    'resolvers_trusted',
    'rotate_webhook_secret',
    'settle_batches',
    'settle_delivery',
    'settle_notification',
    'start_processing',
    'store_findings',
    'store_ledger_sums',
    'sum_calibration',
    'sum_domain_outcomes',
    'take_stream_events',
  ]
  expect(rows).toEqual(names.map((name) => ({ name, fixed: true })))
})

test('the role of the API cannot read webhook secrets, not even of its own tenant', async () => {
  for (const column of ['secret', 'previous_secret', 'private_key', 'previous_private_key']) {
    const read = sql`select ${sql.ref(column)} from webhook_endpoints`
    await expect(inTenant(db, mine, (trx) => read.execute(trx))).rejects.toEqual(PERMISSION_DENIED)
  }
})

test('a connection keeps neither tenant nor role after a commit or rollback', async () => {
  const single = connect(url, { connectionsMax: 1 })
  onTestFinished(() => single.destroy())
  const look = () =>
    asOwner(single, async (trx) => {
      const { rows } = await sql<Record<string, unknown>>`
        select pg_backend_pid() as pid, current_user = session_user as itself,
               coalesce(current_setting('app.account_id', true), '') as tenant,
               current_setting('statement_timeout') as timeout`.execute(trx)
      return rows[0]
    })
  const before = await look()
  expect(before).toMatchObject({ itself: true, tenant: '', timeout: '0' })

  await inTenant(single, mine, count('accounts'))
  expect(await look()).toEqual(before)

  const failing = inTenant(single, mine, (trx) => sql`select 1 / 0`.execute(trx))
  await expect(failing).rejects.toThrow('division by zero')
  expect(await look()).toEqual(before)
  expect(await withoutTenant(single, count('accounts'))).toBe(0)
})
