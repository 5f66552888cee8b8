import { driftBy } from '@probity/database/billing/test-drift'
import { asOwner } from '@probity/database/connection/connect'
import { createTestDatabase, openTestAccount } from '@probity/database/connection/test-database'
import { whenDone } from '@probity/lab/when-done'
import { Registry } from 'prom-client'
import { expect, test, vi } from 'vitest'
import { openMeters } from '../server/metrics.ts'
import { openTestLog } from '../server/test-log.ts'
import { audit, startAuditing } from './reconciliation.ts'

async function openWorld() {
  const { db } = await createTestDatabase()
  const { log, lines } = openTestLog()
  return { db, log, lines, meters: openMeters(new Registry()) }
}

test('audit logs a ledger mismatch with the account and no address, and puts the account on hold', async () => {
  const world = await openWorld()
  const [{ id }] = [await openTestAccount(world.db, 10), await openTestAccount(world.db, 10)]
  await audit(world)
  expect(world.lines()).toEqual([])

  await driftBy(world.db, id, 3)
  await audit(world)
  expect(world.lines()).toMatchObject([
    { level: 50, account: id, kind: 'available_is_not_the_ledger', expected: 10, found: 13 },
    { level: 50, account: id, msg: 'account put on hold: ledger mismatch' },
  ])
  const stopped = await asOwner(world.db, (trx) =>
    trx.selectFrom('accounts').select('id').where('onHoldSince', 'is not', null).execute(),
  )
  expect(stopped).toEqual([{ id }])
})

test('startAuditing reconciles the ledger periodically', async () => {
  const world = await openWorld()
  const { id } = await openTestAccount(world.db, 10)
  await driftBy(world.db, id, 3)
  const auditing = startAuditing(world)
  whenDone(() => auditing.stop())
  await vi.waitFor(() => expect(world.lines()).toContainEqual(expect.objectContaining({ account: id })), 15_000)
})
