import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { updateAccount } from '../accounts/accounts.ts'
import { insertKey, type NewKey, revokeKey, updateKey } from '../accounts/keys.ts'
import { insertPolicy } from '../accounts/policies.ts'
import { postCredits } from '../billing/ledger.ts'
import { type Actor, actAs } from '../connection/actor.ts'
import { asOperator, asOwner, inTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { insertWebhook } from '../webhooks/webhooks.ts'
import { countAuditEntries, listAuditEntries, removeOldAuditEntries } from './audit-log.ts'

const { db } = await createTestDatabase()

const PAGE = { skip: 0, limit: 100 }
const read = (accountId: string, filter = {}) =>
  inTenant(db, accountId, (trx) => listAuditEntries(trx, accountId, { ...PAGE, ...filter }))

function memberOf(account: string): Actor {
  return { kind: 'member', id: randomUUID(), name: 'Ada', ip: '192.0.2.7', account }
}

const NEW_KEY = { mode: 'live', name: 'Sign-up form', scopes: ['validations:write'] } satisfies NewKey

test('key changes are recorded in order, with actor and IP address and without the key', async () => {
  const { id: accountId } = await openTestAccount(db, 0)
  const ada = memberOf(accountId)
  const view = { accountId }
  const key = await actAs(ada, () => inTenant(db, accountId, (trx) => insertKey(trx, accountId, NEW_KEY)))
  await actAs(ada, () => inTenant(db, accountId, (trx) => updateKey(trx, view, key.key.id, { monthlyCap: 10 })))
  await actAs(ada, () => inTenant(db, accountId, (trx) => updateKey(trx, view, key.key.id, { pausedAt: new Date() })))
  await actAs(ada, () => inTenant(db, accountId, (trx) => revokeKey(trx, view, key.key.id)))

  const entries = await read(accountId, { action: 'key' })
  expect(entries.map(({ action }) => action)).toEqual(['key.revoked', 'key.paused', 'key.changed', 'key.created'])
  expect(entries[2]).toMatchObject({
    actor: 'member',
    actorId: 'id' in ada && ada.id,
    actorName: 'Ada',
    ip: '192.0.2.7',
    subjectId: key.key.id,
    subjectName: 'Sign-up form',
    changes: { monthly_cap: [null, 10] },
  })
  expect(JSON.stringify(entries)).not.toContain(key.text)
  expect(Object.keys(entries[3]?.changes ?? {}).toSorted()).not.toContain('hash')
})

test('rolled-back changes and updates without a change are not recorded', async () => {
  const { id: accountId } = await openTestAccount(db, 0)
  const failing = inTenant(db, accountId, async (trx) => {
    await insertKey(trx, accountId, NEW_KEY)
    throw new Error('undone')
  })
  await expect(failing).rejects.toThrow('undone')
  const { key } = await inTenant(db, accountId, (trx) => insertKey(trx, accountId, NEW_KEY))
  await inTenant(db, accountId, (trx) => updateKey(trx, { accountId }, key.id, { name: key.name }))
  expect((await read(accountId, { action: 'key' })).map(({ action }) => action)).toEqual(['key.created'])
})

test('changes of policy rules and webhook URLs are recorded without their values', async () => {
  const { id: accountId } = await openTestAccount(db, 0)
  const fallback = { decision: 'allow' as const, reason: 'Nothing.' }
  await inTenant(db, accountId, async (trx) => {
    await insertPolicy(trx, accountId, { name: 'own', rules: [], fallback })
    await sql`update policies set rules = '[{"ann@example.com": 1}]'`.execute(trx)
    await insertWebhook(trx, { accountId, mode: 'live' }, { url: 'https://hooks.example.com/token-123' })
    await sql`update webhook_endpoints set url = 'https://hooks.example.com/token-456'`.execute(trx)
  })
  const entries = await read(accountId)
  expect(entries.slice(0, 4)).toMatchObject([
    { action: 'webhook.changed', subjectName: 'hooks.example.com', changes: { url: null } },
    { action: 'webhook.created', subjectName: 'hooks.example.com' },
    { action: 'policy.changed', subjectName: 'own', changes: { rules: null } },
    { action: 'policy.created' },
  ])
  const text = JSON.stringify(entries)
  for (const secret of ['token-', 'ann@', 'whsec_']) expect(text).not.toContain(secret)
})

test('grants and account setting changes are audited; charges are not', async () => {
  const { id: accountId } = await openTestAccount(db, 10)
  await inTenant(db, accountId, (trx) => postCredits(trx, { kind: 'charge', credits: 2, subject: randomUUID() }))
  await inTenant(db, accountId, (trx) => updateAccount(trx, accountId, { retentionDays: 7 }))
  const entries = await read(accountId)
  expect(entries.map(({ action, actor }) => [action, actor])).toEqual([
    ['account.changed', 'service'],
    ['credits.granted', 'service'],
    ['account.created', 'service'],
  ])
  expect(entries[0]?.changes).toEqual({ retention_days: [30, 7] })
})

test('an actor of one account is never recorded for changes in another', async () => {
  const [mine, theirs] = [await openTestAccount(db, 0), await openTestAccount(db, 0)]
  await actAs(memberOf(mine.id), () => inTenant(db, theirs.id, (trx) => insertKey(trx, theirs.id, NEW_KEY)))
  expect(await read(theirs.id, { action: 'key' })).toMatchObject([{ actor: 'service', actorName: null, ip: null }])
})

test('sign-in changes of a user are recorded in each of their accounts, with the user as actor', async () => {
  const [one, other] = [await openTestAccount(db, 0), await openTestAccount(db, 0)]
  await actAs({ kind: 'unauthenticated', ip: '192.0.2.9' }, () =>
    asOwner(db, async (trx) => {
      const { rows } = await sql<{ id: string }>`
        insert into users (name, email) values ('Ann', ${`${randomUUID()}@example.com`}) returning id`.execute(trx)
      const [person] = rows
      for (const account of [one, other]) {
        await sql`insert into members (account_id, user_id, role) values (${account.id}, ${person?.id}, 'owner')`.execute(
          trx,
        )
      }
      await sql`insert into credentials (user_id, provider, subject, password)
        values (${person?.id}, 'credential', ${person?.id}, 'old')`.execute(trx)
      await sql`update credentials set password = 'new' where user_id = ${person?.id}`.execute(trx)
      await sql`update users set two_factor_enabled = true where id = ${person?.id}`.execute(trx)
    }),
  )
  for (const { id } of [one, other]) {
    const entries = await read(id)
    expect(entries.slice(0, 3)).toMatchObject([
      { action: 'person.second_factor_on', actor: 'member', actorName: 'Ann', ip: '192.0.2.9' },
      { action: 'person.password_changed', actor: 'member', actorName: 'Ann' },
      { action: 'member.created', subjectName: 'Ann', changes: { role: [null, 'owner'] } },
    ])
    expect(JSON.stringify(entries)).not.toContain('"new"')
  }
})

test('filters return matching entries only', async () => {
  const { id: accountId } = await openTestAccount(db, 0)
  await actAs(memberOf(accountId), () => inTenant(db, accountId, (trx) => insertKey(trx, accountId, NEW_KEY)))
  const count = (filter: object) => inTenant(db, accountId, (trx) => countAuditEntries(trx, accountId, filter))
  expect(await count({})).toBe(2)
  expect(await count({ action: 'key.created' })).toBe(1)
  expect(await count({ action: 'key.revoked' })).toBe(0)
  expect(await count({ by: 'ad' })).toBe(1)
  expect(await count({ by: 'service' })).toBe(1)
  expect(await count({ from: '2999-01-01' })).toBe(0)
  expect(await count({ to: '2000-01-01' })).toBe(0)
})

const PERMISSION_DENIED = expect.objectContaining({ code: '42501' })

test('no role can change or delete an entry, including the table owner', async () => {
  const { id: accountId } = await openTestAccount(db, 0)
  const attempts = [
    sql`update audit_entries set action = 'nothing'`,
    sql`delete from audit_entries`,
    sql`truncate audit_entries`,
    sql`insert into audit_entries (actor, action) values ('service', 'made.up')`,
    sql`select record_audit_entry(null, 'made.up', null, null, null)`,
  ]
  for (const attempt of attempts) {
    await expect(inTenant(db, accountId, (trx) => attempt.execute(trx))).rejects.toEqual(PERMISSION_DENIED)
    await expect(asOperator(db, (trx) => attempt.execute(trx))).rejects.toEqual(PERMISSION_DENIED)
  }
  for (const attempt of attempts.slice(0, 3)) {
    await expect(asOwner(db, (trx) => attempt.execute(trx))).rejects.toThrow('append only')
  }
})

test('entries are deleted after 365 days and not earlier', async () => {
  const { id: accountId } = await openTestAccount(db, 0)
  await asOwner(db, (trx) =>
    sql`insert into audit_entries (at, account_id, actor, action) values
      (clock_timestamp() - interval '366 days', ${accountId}, 'service', 'long.ago'),
      (clock_timestamp() - interval '364 days', ${accountId}, 'service', 'last.year')`.execute(trx),
  )
  expect(await removeOldAuditEntries(db)).toBe(1)
  const actions = (await read(accountId)).map(({ action }) => action)
  expect(actions).toContain('last.year')
  expect(actions).not.toContain('long.ago')
})

/** Tables without an audit trigger: internal ones, and those with their own log, such as the ledger, deliveries and lists. */
const NOT_AUDITED = [
  'account_domain_days',
  'audit_entries',
  'billing_customers',
  'calibration',
  'class_outcomes',
  'domain_outcomes',
  'event_streams',
  'idempotency_records',
  'job_batches',
  'job_breakdowns',
  'job_counts',
  'job_queue',
  'job_reviews',
  'ledger_sums',
  'account_turns',
  'notifications',
  'outcome_marks',
  'payments',
  'requests',
  'result_chunks',
  'stream_events',
  'subscriptions',
  'uploads',
  'usage_days',
  'validations',
  'verdict_days',
  'uncollected_results',
  'webhook_attempts',
  'webhook_deliveries',
  'webhook_events',
]

test('every table with customer data is audited or listed as an exception', async () => {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ name: string; isAudited: boolean }>`
      select c.relname as name, exists (
        select from pg_trigger t where t.tgrelid = c.oid and t.tgname in ('audit', 'audit_insert')
      ) as is_audited
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`.execute(trx),
  )
  const unaudited = rows.filter(({ name, isAudited }) => !isAudited && !NOT_AUDITED.includes(name))
  expect(unaudited).toEqual([])
  for (const name of ['api_keys', 'members', 'policies', 'webhook_endpoints', 'invitations', 'jobs']) {
    expect(rows).toContainEqual({ name, isAudited: true })
  }
})

test('changes of many rows are recorded per statement', async () => {
  const { id: accountId } = await openTestAccount(db, 0)
  await asOwner(db, async (trx) => {
    await sql`create table planted (account_id uuid not null, text text)`.execute(trx)
    await sql`create trigger audit_insert after insert on planted referencing new table as changed
      for each statement execute function audit_statement('planted', 'created')`.execute(trx)
    await sql`create trigger audit_update after update on planted referencing new table as changed
      for each statement execute function audit_statement('planted', 'changed')`.execute(trx)
    await sql`create trigger audit_delete after delete on planted referencing old table as changed
      for each statement execute function audit_statement('planted', 'deleted')`.execute(trx)
  })
  await actAs(memberOf(accountId), () =>
    asOwner(db, (trx) =>
      sql`insert into planted select ${accountId}, 'ann@example.com' from generate_series(1, 300)`.execute(trx),
    ),
  )
  await asOwner(db, (trx) => sql`delete from planted`.execute(trx)) // with the service as the actor
  expect(await read(accountId, { action: 'planted' })).toMatchObject([
    { action: 'planted.created', actor: 'member', changes: { count: [null, 300] } },
  ])
})
