import { randomUUID } from 'node:crypto'
import { reconcileLedger } from '@probity/database/billing/reconciliation'
import { driftBy } from '@probity/database/billing/test-drift'
import { asOwner } from '@probity/database/connection/connect'
import { createTestDatabase, openTestAccount } from '@probity/database/connection/test-database'
import { expect, test } from 'vitest'
import { refusalOf, resultOf, runAdmin } from '../test-admin.ts'

const { db, url } = await createTestDatabase()
const run = (...args: string[]) => runAdmin(url, 'audit', ...args)

test('audit prints ledger mismatches and exits with 1, or with 0 if there are none', async () => {
  const [{ id }] = [await openTestAccount(db, 10), await openTestAccount(db, 10)]
  expect(resultOf(await run())).toEqual({ faults: [] })

  await driftBy(db, id, 5)
  const { code, stdout, stderr } = await run()
  expect([code, stderr]).toEqual([1, 'Ledger mismatch.\n'])
  const fault = { account: id, kind: 'available_is_not_the_ledger', subject: null, expected: 10, found: 15 }
  expect(JSON.parse(stdout)).toEqual({ faults: [fault] })
  await driftBy(db, id, -5)
})

test('audit --resume ends the hold of an account only without mismatches', async () => {
  const { id } = await openTestAccount(db, 10)
  const isStopped = async () => {
    const account = asOwner(db, (trx) =>
      trx.selectFrom('accounts').select('onHoldSince').where('id', '=', id).executeTakeFirstOrThrow(),
    )
    return (await account).onHoldSince !== null
  }
  await driftBy(db, id, 5)
  expect((await reconcileLedger(db))?.stopped).toEqual([id])

  const refused = await run('--resume', id)
  expect([refused.code, JSON.parse(refused.stdout).faults.length, await isStopped()]).toEqual([1, 1, true])
  await driftBy(db, id, -5)
  expect(resultOf(await run('--resume', id))).toEqual({ faults: [] })
  expect(await isStopped()).toBe(false)
})

test('audit --resume rejects an unknown account with a one-line error', async () => {
  expect(refusalOf(await run('--resume', randomUUID()))).toMatch(/Account not found/)
})
