import { type PostgresServer, startPostgres } from '@probity/lab/services/postgres'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { asOwner, connect, type Db } from './connect.ts'
import { isOutage, isReadOnly } from './outage.ts'

const SOON = { timeout: 30_000, interval: 50 }

const primary = await startPostgres()
whenDone(() => primary.stop())

/** A pool of one connection. */
function openPool(server: PostgresServer) {
  const db = connect(server.url, { connectionsMax: 1, applicationName: 'tested' })
  whenDone(() => db.destroy())
  const listOpen = () => server.query("select pid from pg_stat_activity where application_name = 'tested'")
  return { db, expectNoneOpen: () => vi.waitFor(async () => expect(await listOpen()).toEqual([]), SOON) }
}

const read = (db: Db) => asOwner(db, (trx) => sql`select 1`.execute(trx))
const write = (db: Db) => asOwner(db, (trx) => sql`create table if not exists written ()`.execute(trx))

async function expectReadOnly(work: Promise<unknown>): Promise<void> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect([isOutage(error), isReadOnly(error)]).toEqual([true, true])
}

test('a hot standby is an outage, for reads too, until it is promoted', async () => {
  const standby = await startPostgres({ standbyOf: primary })
  whenDone(() => standby.stop())
  const { db, expectNoneOpen } = openPool(standby)
  await expectReadOnly(read(db))
  await expectReadOnly(write(db))
  await expectNoneOpen()
  await standby.query('select pg_promote()')
  await write(db)
})

test('a connection is closed when its server becomes read-only, and the next one is used', async () => {
  const { db, expectNoneOpen } = openPool(primary)
  await read(db)
  whenDone(() => primary.setReadOnly('off'))
  await primary.setReadOnly('on')
  await vi.waitFor(() => expectReadOnly(write(db)), SOON)
  await expectNoneOpen()
  await expectReadOnly(read(db))
  await primary.setReadOnly('off')
  await vi.waitFor(() => write(db), SOON)
})
