import { driftBy } from '@probity/database/billing/test-drift'
import { asOwner, connect } from '@probity/database/connection/connect'
import { createTestDatabase, openTestAccount } from '@probity/database/connection/test-database'
import { whenDone } from '@probity/lab/when-done'
import type { FileStorage } from '@probity/uploads/storage'
import { Registry } from 'prom-client'
import { expect, test, vi } from 'vitest'
import { openTestLog } from '../server/test-log.ts'
import { startMaintenance } from './maintenance.ts'
import { createMaintenanceMetrics } from './metrics.ts'
import { reconcile, STEPS } from './steps.ts'

async function openWorld() {
  const { url } = await createTestDatabase()
  const db = connect(url, { connectionsMax: 2, programRole: 'probity_maintenance' })
  whenDone(() => db.destroy())
  const { log, lines } = openTestLog()
  const storage = { remove: async () => {}, removeOlderThan: async () => 0 } as unknown as FileStorage
  return { db, log, lines, storage, metrics: createMaintenanceMetrics(new Registry()) }
}

test('reconcile logs a ledger mismatch with the account and no address, and puts the account on hold', async () => {
  const world = await openWorld()
  const [{ id }] = [await openTestAccount(world.db, 10), await openTestAccount(world.db, 10)]
  await reconcile(world)
  expect(world.lines()).toEqual([])

  await driftBy(world.db, id, 3)
  await reconcile(world)
  expect(world.lines()).toMatchObject([
    { level: 50, account: id, kind: 'available_is_not_the_ledger', expected: 10, found: 13 },
    { level: 50, account: id, msg: 'account put on hold: ledger mismatch' },
  ])
  const stopped = await asOwner(world.db, (trx) =>
    trx.selectFrom('accounts').select('id').where('onHoldSince', 'is not', null).execute(),
  )
  expect(stopped).toEqual([{ id }])
})

test('maintenance reconciles the ledger periodically', async () => {
  const world = await openWorld()
  const { id } = await openTestAccount(world.db, 10)
  await driftBy(world.db, id, 3)
  const step = STEPS.filter(({ name }) => name === 'reconcile_ledger')
  const maintenance = startMaintenance(world, step)
  whenDone(() => maintenance.stop())
  await vi.waitFor(() => expect(world.lines()).toContainEqual(expect.objectContaining({ account: id })), 15_000)
})
