import { randomUUID } from 'node:crypto'
import { getAccount, updateAccount } from '@probity/database/accounts/accounts'
import { listDrift } from '@probity/database/billing/ledger'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { createTestDatabase, openTestAccount } from '@probity/database/connection/test-database'
import { openValidations } from '@probity/database/validations/validations'
import { expect, test } from 'vitest'
import { refusalOf, resultOf, runAdmin } from '../test-admin.ts'

const { db, url } = await createTestDatabase()
const run = (...args: string[]) => runAdmin(url, 'account', ...args)

async function creditsOf(accountId: string): Promise<number> {
  const { account } = await inTenant(db, accountId, (trx) => getAccount(trx, accountId))
  return account.available
}

function listLedger(accountId: string) {
  return inTenant(db, accountId, (trx) =>
    trx.selectFrom('ledger').select(['kind', 'dAvailable', 'note']).where('accountId', '=', accountId).execute(),
  )
}

test('account create prints the account with its plan and credits', async () => {
  const account = resultOf(await run('create', '--name', 'N', '--plan', 'payg', '--credits', '1000'))
  expect(account).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'N',
    plan: 'payg',
    credits: { available: 1000, reserved: 0, used: 0, unlimited: false },
    retention_days: 30,
    created_at: expect.any(String),
  })
  expect(await listLedger(String(account['id']))).toEqual([
    { kind: 'grant', dAvailable: 1000, note: 'opening balance' },
  ])
})

test('account create supports zero and unlimited credits', async () => {
  const none = resultOf(await run('create', '--name', 'N'))
  expect(none).toMatchObject({ plan: 'payg', credits: { available: 0, unlimited: false } })
  const unlimited = resultOf(await run('create', '--name', 'N', '--plan', 'scale', '--unlimited'))
  expect(unlimited).toMatchObject({ plan: 'scale', credits: { available: 0, unlimited: true } })
})

test('account grant adds and deducts credits, with a ledger transaction and note each', async () => {
  const { id } = await openTestAccount(db, 10)
  const given = resultOf(await run('grant', '--account', id, '--credits', '5', '--note', 'a gift'))
  expect(given).toMatchObject({ id, credits: { available: 15 } })
  const taken = resultOf(await run('grant', '--account', id, '--credits', '-15'))
  expect(taken).toMatchObject({ credits: { available: 0 } })

  expect((await listLedger(id)).slice(1)).toEqual([
    { kind: 'grant', dAvailable: 5, note: 'a gift' },
    { kind: 'adjust', dAvailable: -15, note: null },
  ])
  expect(await asOwner(db, listDrift)).toEqual([])
})

test('account grant rejects a deduction above the available credits', async () => {
  const { id } = await openTestAccount(db, 10)
  const refusal = refusalOf(await run('grant', '--account', id, '--credits', '-11'))
  expect(refusal).toBe('The account has only 10 credits.')
  expect(await creditsOf(id)).toBe(10)
})

test('account list prints every account with its balances', async () => {
  const accounts = [await openTestAccount(db, 7, { name: 'Seven' }), await openTestAccount(db, 8, { name: 'Eight' })]
  const listed = resultOf<Record<string, unknown>[]>(await run('list'))
  for (const { id, name, available } of accounts) {
    const found = listed.find((account) => account['id'] === id)
    expect(found).toMatchObject({ name, credits: { available, reserved: 0, used: 0 } })
  }
})

test('account retention sets the retention and creates the partitions that it needs', async () => {
  const { id } = await openTestAccount(db, 10)
  expect(resultOf(await run('retention', '--account', id, '--days', '0'))).toMatchObject({ retention_days: 0 })
  expect(resultOf(await run('retention', '--account', id, '--days', '60'))).toMatchObject({ retention_days: 60 })
  const row = { id: randomUUID(), email: 'x', emailKey: 'x' }
  const opening = { accountId: id, keyId: null, retentionDays: 60, group: randomUUID() }
  const opened = await inTenant(db, id, (trx) => openValidations(trx, opening, [row]))
  expect(opened.kind).toBe('opened')
})

test('account open-network clears the IP allowlist', async () => {
  const { id } = await openTestAccount(db, 0)
  await inTenant(db, id, (trx) => updateAccount(trx, id, { ipAllowList: ['192.0.2.1'] }))
  expect(resultOf(await run('open-network', '--account', id))).toMatchObject({ id })
  const { account } = await inTenant(db, id, (trx) => getAccount(trx, id))
  expect(account.ipAllowList).toEqual([])
  expect(refusalOf(await run('open-network', '--account', randomUUID()))).toMatch(/Account not found/)
})
