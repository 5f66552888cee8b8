import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { getAccount } from '../accounts/accounts.ts'
import { insertKey } from '../accounts/keys.ts'
import { addOverrides } from '../accounts/overrides.ts'
import { listDrift } from '../billing/ledger.ts'
import { asOwner, callInTenant, callWithoutTenant, inTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { chargeValidations } from './charge.ts'
import { deferResult, type NewValidation } from './validations.ts'

const { db } = await createTestDatabase()

async function openPayer(credits: number) {
  const { id: accountId } = await openTestAccount(db, credits)
  const { key } = await inTenant(db, accountId, (trx) =>
    insertKey(trx, accountId, { mode: 'live', name: 'payer', scopes: [] }),
  )
  return { accountId, keyId: key.id, retentionDays: 30 }
}

type Payer = Awaited<ReturnType<typeof openPayer>>

const newRow = (emailKey: string): NewValidation => ({ id: randomUUID(), email: emailKey, emailKey, timeoutMs: 1_000 })

function charge(payer: Payer, rows: NewValidation[], { recent = 0, names = [] as string[] } = {}) {
  return chargeValidations(db, payer, { subject: randomUUID(), rows, recent, names })
}

async function read({ accountId }: Payer) {
  const { account } = await inTenant(db, accountId, (trx) => getAccount(trx, accountId))
  const rows = await inTenant(db, accountId, (trx) => trx.selectFrom('validations').select(['id', 'email']).execute())
  return { available: account.available, spent: account.spent, emails: rows.map(({ email }) => email).toSorted() }
}

test('a group is charged once and its rows are inserted, whatever their texts contain', async () => {
  const payer = await openPayer(10)
  const emails = [`o'neill@example.com`, `"back\\slash"@example.com`, `x'); drop table validations; --`, '{"a",b}']
  const charged = await charge(payer, emails.map(newRow), { recent: 2 })
  expect(charged).toMatchObject({
    kind: 'charged',
    available: 4,
    expiresOn: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
  })
  expect(await read(payer)).toEqual({ available: 4, spent: 6, emails: emails.toSorted() })
  expect(await asOwner(db, listDrift)).toEqual([])
})

test.for([
  { retentionDays: 0, days: 1 },
  { retentionDays: 1, days: 1 },
  { retentionDays: 2, days: 2 },
])('with a retention of $retentionDays days, the rows of a group expire in $days', async ({ retentionDays, days }) => {
  const payer = { ...(await openPayer(1)), retentionDays }
  const charged = await charge(payer, [newRow('kept')])
  const { rows } = await inTenant(db, payer.accountId, (trx) =>
    sql<{ day: string; stored: number }>`
      select utc_today() + ${days}::integer as day, (select count(*) from validations where expires_on = utc_today() + ${days}::integer) as stored`.execute(
      trx,
    ),
  )
  expect(rows).toEqual([{ day: charged.kind === 'charged' && charged.expiresOn, stored: 1 }])
})

test('a group that costs more than the balance changes nothing', async () => {
  const payer = await openPayer(2)
  const refused = await charge(payer, [newRow('a'), newRow('b')], { recent: 1 })
  expect(refused).toEqual({ kind: 'refused', posting: { kind: 'insufficient', available: 2 } })
  expect(await read(payer)).toEqual({ available: 2, spent: 0, emails: [] })
})

test('a group with an address whose earlier validation is to be collected changes nothing', async () => {
  const payer = await openPayer(5)
  const first = newRow('later')
  const charged = await charge(payer, [first])
  if (charged.kind !== 'charged') throw new Error(charged.kind)
  const ref = { expiresOn: charged.expiresOn, accountId: payer.accountId, id: first.id }
  await inTenant(db, payer.accountId, (trx) => deferResult(trx, ref))
  expect(await charge(payer, [newRow('other'), newRow('later')])).toEqual({ kind: 'uncollected' })
  expect(await read(payer)).toEqual({ available: 4, spent: 1, emails: ['later'] })
})

test('a row that exists undoes the charge of its group', async () => {
  const payer = await openPayer(5)
  const row = newRow('once')
  await charge(payer, [row])
  await expect(charge(payer, [newRow('other'), row])).rejects.toMatchObject({ code: '23505' })
  expect(await read(payer)).toEqual({ available: 4, spent: 1, emails: ['once'] })
  expect(await asOwner(db, listDrift)).toEqual([])
})

test('overrides of the account are returned with the charge, those of other accounts are not', async () => {
  const [payer, other] = [await openPayer(5), await openPayer(5)]
  const add = ({ accountId }: Payer, entries: string[], list: 'allow' | 'block') =>
    inTenant(db, accountId, (trx) =>
      addOverrides(trx, accountId, { action: list, targets: entries, createdBy: 'test' }),
    )
  await add(payer, [`o'neill@example.com`], 'block')
  await add(other, ['example.com'], 'allow')
  const charged = await charge(payer, [], { recent: 1, names: [`o'neill@example.com`, 'example.com'] })
  expect(charged.kind === 'charged' && [...charged.overrides]).toEqual([[`o'neill@example.com`, 'block']])
})

test('a function is called with the rights of the tenant, which the connection does not keep', async () => {
  const payer = await openPayer(1)
  const [inside] = await callInTenant<{ app_account: string }>(db, payer.accountId, 'app_account', [])
  expect(inside?.app_account).toBe(payer.accountId)
  const [role] = await callWithoutTenant<{ current_setting: string }>(db, 'current_setting', ['role'])
  expect(role?.current_setting).toBe('probity_app')
  const { rows } = await asOwner(db, (trx) =>
    sql<{ role: string; account: string }>`
      select current_setting('role') as role, coalesce(current_setting('app.account_id', true), '') as account`.execute(
      trx,
    ),
  )
  expect(rows).toEqual([{ role: 'none', account: '' }])
})

test('a text with NUL is rejected before anything is sent', async () => {
  await expect(callWithoutTenant(db, 'current_setting', ['role\0'])).rejects.toMatchObject({ code: '22021' })
})
