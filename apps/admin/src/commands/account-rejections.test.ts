import { randomUUID } from 'node:crypto'
import { getAccount, listAccounts } from '@probity/database/accounts'
import { asOwner, inTenant } from '@probity/database/connect'
import { createTestDatabase, openTestAccount } from '@probity/database/test-database'
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
  ['a debt', ['create', '--name', 'N', '--credits', '-1'], /debt/],
  ['half a credit', ['create', '--name', 'N', '--credits', '1.5'], /whole numbers/],
  ['an empty name', ['create', '--name', ''], /1 to 200 characters/],
  ['an unknown account', ['grant', '--account', randomUUID(), '--credits', '1'], /no account with that id/],
  ['what is no id', ['grant', '--account', 'acme', '--credits', '1'], /not an id/],
]

test.for(MISTAKES)('%s is refused in one line and opens nothing', async ([, args, said]) => {
  const before = await asOwner(db, listAccounts)
  expect(refusalOf(await run(...args))).toMatch(said)
  expect(await asOwner(db, listAccounts)).toEqual(before)
})

test('no credits at all and a note without end are refused in one line', async () => {
  const { id } = await openTestAccount(db, 10)
  expect(refusalOf(await run('grant', '--account', id, '--credits', '0'))).toMatch(/moves nothing/)
  const note = ['--note', 'x'.repeat(201)]
  expect(refusalOf(await run('grant', '--account', id, '--credits', '1', ...note))).toMatch(/at most 200 characters/)
  expect(await creditsOf(id)).toBe(10)
})
