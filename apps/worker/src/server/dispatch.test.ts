import { setTimeout as sleep } from 'node:timers/promises'
import { inTenant } from '@probity/database/connection/connect'
import { createTestDatabase, openTestAccount } from '@probity/database/connection/test-database'
import { confirmTestJob, planTestJob } from '@probity/database/jobs/test-jobs'
import { findPendingWork } from '@probity/database/validations/queue'
import { sendTestEvent } from '@probity/database/webhooks/deliveries'
import { openTestWebhook } from '@probity/database/webhooks/test-webhooks'
import { expect, test } from 'vitest'
import { createPendingWorkCheck } from './dispatch.ts'

test('the check reports pending plans, batches and deliveries of all accounts', async () => {
  const { db } = await createTestDatabase()
  expect(await findPendingWork(db)).toEqual({ plans: false, batches: false, deliveries: false })
  const { id: accountId } = await openTestAccount(db, 100)
  await planTestJob(db, accountId, [{ size: 3 }])
  expect(await findPendingWork(db)).toEqual({ plans: false, batches: true, deliveries: false })
  await confirmTestJob(db, accountId, { uniqueCount: 3 })
  expect(await findPendingWork(db)).toEqual({ plans: true, batches: true, deliveries: false })
  const view = { accountId, mode: 'live' } as const
  const webhook = await openTestWebhook(db, view)
  await inTenant(db, accountId, (trx) => sendTestEvent(trx, view, webhook.id))
  expect(await findPendingWork(db)).toEqual({ plans: true, batches: true, deliveries: true })
})

test('concurrent callers share one query, and later calls run a new one', async () => {
  const { db } = await createTestDatabase()
  const pendingWork = createPendingWorkCheck(db)
  const first = pendingWork()
  expect(pendingWork()).toBe(first)
  await sleep(60)
  const later = pendingWork()
  expect(later).not.toBe(first)
  await Promise.all([first, later])
})
