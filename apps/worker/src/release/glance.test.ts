import { setTimeout as sleep } from 'node:timers/promises'
import { inTenant } from '@probity/database/connection/connect'
import { createTestDatabase, openTestAccount } from '@probity/database/connection/test-database'
import { confirmTestJob, planTestJob } from '@probity/database/jobs/test-jobs'
import { findWorkAtHand } from '@probity/database/validations/queue'
import { sendTestEvent } from '@probity/database/webhooks/deliveries'
import { openTestWebhook } from '@probity/database/webhooks/test-webhooks'
import { whenDone } from '@probity/lab/when-done'
import { expect, test, vi } from 'vitest'
import { openTestLog } from '../test-log.ts'
import { openGlance } from './glance.ts'
import { startInterval } from './rounds.ts'

test('it tells whether there is anything to plan, to let out and to deliver, whoever waits for it', async () => {
  const { db } = await createTestDatabase()
  expect(await findWorkAtHand(db)).toEqual({ plans: false, batches: false, deliveries: false })
  const { id: accountId } = await openTestAccount(db, 100)
  await planTestJob(db, accountId, [{ size: 3 }])
  expect(await findWorkAtHand(db)).toEqual({ plans: false, batches: true, deliveries: false })
  await confirmTestJob(db, accountId, { uniqueCount: 3 })
  expect(await findWorkAtHand(db)).toEqual({ plans: true, batches: true, deliveries: false })
  const view = { accountId, mode: 'live' } as const
  const webhook = await openTestWebhook(db, view)
  await inTenant(db, accountId, (trx) => sendTestEvent(trx, view, webhook.id))
  expect(await findWorkAtHand(db)).toEqual({ plans: true, batches: true, deliveries: true })
})

test('those who look at the same time share one question, and later it is asked again', async () => {
  const { db } = await createTestDatabase()
  const glance = openGlance(db)
  const first = glance()
  expect(glance()).toBe(first)
  await sleep(60)
  const later = glance()
  expect(later).not.toBe(first)
  await Promise.all([first, later])
})

test('a round that nobody wants is left out, and one that is hurried comes all the same', async () => {
  const { log } = openTestLog()
  let isWanted = false
  let rounds = 0
  const round = async () => {
    rounds += 1
  }
  const loop = startInterval(10, round, { log, name: 'counting', isWanted: async () => isWanted })
  whenDone(() => loop.stop())
  await sleep(100)
  expect(rounds).toBe(0)
  loop.hurry()
  await vi.waitFor(() => expect(rounds).toBe(1))
  isWanted = true
  await vi.waitFor(() => expect(rounds).toBeGreaterThan(3))
})

test('a round whose time comes while another is under way asks first too, and a hurried one does not', async () => {
  const { log } = openTestLog()
  let rounds = 0
  let asked = 0
  const round = async () => {
    rounds += 1
    await sleep(50)
  }
  const isWanted = async () => {
    asked += 1
    return false
  }
  const loop = startInterval(20, round, { log, name: 'counting', isWanted })
  whenDone(() => loop.stop())
  loop.hurry()
  await vi.waitFor(() => expect(rounds).toBe(1)) // and its end meets the clock
  const before = asked
  await vi.waitFor(() => expect(asked).toBeGreaterThan(before))
  expect(rounds).toBe(1)
  loop.hurry()
  await vi.waitFor(() => expect(rounds).toBe(2))
})
