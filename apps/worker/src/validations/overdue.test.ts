import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestWorld } from '../server/test-worker.ts'
import { endOverdue } from './dispatcher.ts'

test('validations older than a day end unknown and are refunded once, and younger ones continue', async () => {
  const world = await startTestWorld()
  const [old] = await world.open(['old@two-mx.example', 'young@two-mx.example'])
  await asOwner(world.db, (trx) =>
    sql`update validations set created_at = now() - interval '25 hours' where id = ${old?.id}`.execute(trx),
  )

  expect(await Promise.all([endOverdue(world), endOverdue(world)])).toContain(1)
  expect(await endOverdue(world)).toBe(0)
  const { available, rows } = await world.look()
  expect(available).toBe(999)
  expect(rows.map(({ email, state }) => `${email} ${state}`).toSorted()).toEqual([
    'old@two-mx.example final',
    'young@two-mx.example open',
  ])
  expect(rows.find(({ state }) => state === 'final')?.result).toMatchObject({
    status: 'unknown',
    sub_status: 'timeout',
  })
})
