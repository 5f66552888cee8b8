import { randomUUID } from 'node:crypto'
import { getAccount, listAccounts } from '@probity/database/accounts/accounts'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { createTestDatabase, openTestAccount } from '@probity/database/connection/test-database'
import { expect, test } from 'vitest'
import { refusalOf, runAdmin } from '../test-admin.ts'

const { db, url } = await createTestDatabase()
const run = (...args: string[]) => runAdmin(url, 'account', ...args)

async function creditsOf(accountId: string): Promise<number> {
  const { account } = await inTenant(db, accountId, (trx) => getAccount(trx, accountId))
  return account.available
}

test.each(['-1', '366', '1.5', '', 'all'])('results are not kept for "%s" days', async (days) => {
  const { id } = await openTestAccount(db, 0)
  const refused = refusalOf(await run('retention', '--account', id, `--days=${days}`))
  expect(refused).toMatch(/whole number from 0 to 365/)
})

const MISTAKES: [string, string[], RegExp][] = [
  ['an unknown plan', ['create', '--name', 'N', '--plan', 'gold'], /Plans: free, growth, payg, scale, starter\.$/],
  ['negative initial credits', ['create', '--name', 'N', '--credits', '-1'], /cannot be negative/],
  ['fractional credits', ['create', '--name', 'N', '--credits', '1.5'], /whole number/],
  ['an empty name', ['create', '--name', ''], /1 to 200 characters/],
  ['an unknown account', ['grant', '--account', randomUUID(), '--credits', '1'], /Account not found/],
  ['an invalid id', ['grant', '--account', 'acme', '--credits', '1'], /Invalid id/],
]

test.for(MISTAKES)('account rejects %s with a one-line error and creates nothing', async ([, args, said]) => {
  const before = await asOwner(db, listAccounts)
  expect(refusalOf(await run(...args))).toMatch(said)
  expect(await asOwner(db, listAccounts)).toEqual(before)
})

test('account grant rejects zero credits and a long note with a one-line error', async () => {
  const { id } = await openTestAccount(db, 10)
  expect(refusalOf(await run('grant', '--account', id, '--credits', '0'))).toMatch(/must not be zero/)
  const note = ['--note', 'x'.repeat(201)]
  expect(refusalOf(await run('grant', '--account', id, '--credits', '1', ...note))).toMatch(/at most 200 characters/)
  expect(await creditsOf(id)).toBe(10)
})
