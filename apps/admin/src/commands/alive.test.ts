import { hostname } from 'node:os'
import { asOwner } from '@probity/database/connection/connect'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { recordProcess } from '@probity/database/system/processes'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { refusalOf, resultOf, runAdmin } from '../test-admin.ts'

const { url, db } = await createTestDatabase()
const NO_WORKER = `No worker on ${hostname()} sent a heartbeat within the last 35 seconds.`
const note = (id: number, kind: 'api' | 'worker' | 'maintenance', host: string) =>
  recordProcess(db, { id: `00000000-0000-0000-0000-00000000000${id}`, kind, version: '0.1.0', facts: { host } })

test('alive succeeds for a worker of this host with a recent heartbeat only', async () => {
  await note(1, 'worker', 'elsewhere')
  await note(2, 'api', hostname())
  expect(refusalOf(await runAdmin(url, 'alive'))).toBe(NO_WORKER)

  await note(3, 'worker', hostname())
  expect(resultOf(await runAdmin(url, 'alive'))).toMatchObject({ host: hostname() })

  await asOwner(db, (trx) => sql`update processes set seen_at = seen_at - interval '36 seconds'`.execute(trx))
  expect(refusalOf(await runAdmin(url, 'alive'))).toBe(NO_WORKER)
})

test('alive --maintenance succeeds for a maintenance process of this host only', async () => {
  await note(4, 'worker', hostname())
  expect(refusalOf(await runAdmin(url, 'alive', '--maintenance'))).toBe(
    `No maintenance process on ${hostname()} sent a heartbeat within the last 35 seconds.`,
  )
  await note(5, 'maintenance', hostname())
  expect(resultOf(await runAdmin(url, 'alive', '--maintenance'))).toMatchObject({ host: hostname() })
})
