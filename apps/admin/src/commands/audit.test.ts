import { randomUUID } from 'node:crypto'
import { auditBooks } from '@probity/database/audit'
import { asOwner } from '@probity/database/connect'
import { createTestDatabase, openTestAccount } from '@probity/database/test-database'
import { driftBy } from '@probity/database/test-drift'
import { expect, test } from 'vitest'
import { refusalOf, resultOf, runAdmin } from '../test-admin.ts'

const { db, url } = await createTestDatabase()
const run = (...args: string[]) => runAdmin(url, 'audit', ...args)

test('prints where the books do not add up and exits with 1, and with 0 where they do', async () => {
  const [{ id }] = [await openTestAccount(db, 10), await openTestAccount(db, 10)]
  expect(resultOf(await run())).toEqual({ faults: [] })

  await driftBy(db, id, 5)
  const { code, stdout, stderr } = await run()
  expect([code, stderr]).toEqual([1, 'The books do not add up.\n'])
  const fault = { account: id, kind: 'available_is_not_the_ledger', subject: null, expected: 10, found: 15 }
  expect(JSON.parse(stdout)).toEqual({ faults: [fault] })
  await driftBy(db, id, -5)
})

test('lets an account be charged again only when its books add up', async () => {
  const { id } = await openTestAccount(db, 10)
  const isStopped = async () => {
    const account = asOwner(db, (trx) =>
      trx.selectFrom('accounts').select('onHoldSince').where('id', '=', id).executeTakeFirstOrThrow(),
    )
    return (await account).onHoldSince !== null
  }
  await driftBy(db, id, 5)
  expect((await auditBooks(db))?.stopped).toEqual([id])

  const refused = await run('--resume', id)
  expect([refused.code, JSON.parse(refused.stdout).faults.length, await isStopped()]).toEqual([1, 1, true])
  await driftBy(db, id, -5)
  expect(resultOf(await run('--resume', id))).toEqual({ faults: [] })
  expect(await isStopped()).toBe(false)
})

test('an account that is not there is refused in one line', async () => {
  expect(refusalOf(await run('--resume', randomUUID()))).toMatch(/no account with that id/)
})
