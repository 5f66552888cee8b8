import { randomUUID } from 'node:crypto'
import { Kysely, sql } from 'kysely'
import { Client } from 'pg'
import { expect, test, vi } from 'vitest'
import { type Actor, actAs } from './actor.ts'
import { asOwner, inTenant, openPool, openSnapshot, type Trx } from './connect.ts'
import { lateBeginDialect } from './lazy-begin.ts'
import { createTestDatabase, openTestAccount } from './test-database.ts'

const { url, db } = await createTestDatabase()

/** The statements sent to this database while `work` runs. Other files of the process have their own databases. */
async function sentDuring(work: () => Promise<unknown>): Promise<string[]> {
  const name = new URL(url).pathname.slice(1)
  const query = vi.spyOn(Client.prototype, 'query')
  await work()
  const sent = query.mock.calls.flatMap(([text], at) => {
    const client = query.mock.contexts[at]
    return client instanceof Client && client.database === name ? [String(text)] : []
  })
  query.mockRestore()
  return sent
}

async function read<T>(trx: Trx, what: string): Promise<T> {
  const { rows } = await sql<{ value: T }>`select ${sql.raw(what)} as value`.execute(trx)
  return rows[0]?.value as T
}

const transactionNow = (trx: Trx) => read<string>(trx, `coalesce(pg_current_xact_id_if_assigned()::text, '')`)

test('inTenant sets the role in the round trip of BEGIN', async () => {
  const { id } = await openTestAccount(db, 0)
  const sent = await sentDuring(() => inTenant(db, id, (trx) => read(trx, '1')))
  expect(sent).toEqual([
    expect.stringMatching(/^begin; .*set_config\('role', 'probity_app'/),
    expect.any(String),
    'commit',
  ])
})

test('a first statement without WITH_BEGIN is sent after BEGIN and returns its rows', async () => {
  const sent = await sentDuring(async () => expect(await asOwner(db, (trx) => read(trx, '7'))).toBe(7))
  expect(sent).toEqual(['begin', 'select 7 as value', 'commit'])
})

test('all statements of a transaction share one transaction id and are rolled back together', async () => {
  const { id } = await openTestAccount(db, 0)
  const [one, other] = await inTenant(db, id, async (trx) => {
    await read(trx, 'pg_current_xact_id()')
    return [await transactionNow(trx), await transactionNow(trx)]
  })
  expect(one).toBe(other)

  const undone = asOwner(db, async (trx) => {
    await sql`update accounts set name = 'undone' where id = ${id}`.execute(trx)
    throw new Error('no')
  })
  await expect(undone).rejects.toThrow('no')
  expect(await inTenant(db, id, (trx) => read(trx, '(select name from accounts)'))).toBe('Test')
})

test('a transaction without statements leaves nothing to the next one', async () => {
  await expect(asOwner(db, () => Promise.reject(new Error('at once')))).rejects.toThrow('at once')
  expect(await asOwner(db, (trx) => read(trx, '1'))).toBe(1)
  expect(await asOwner(db, async () => 'nothing')).toBe('nothing')
})

test('openSnapshot is a read-only repeatable read transaction', async () => {
  const { id } = await openTestAccount(db, 0)
  const { trx, close } = await openSnapshot(db, id)
  expect(await read(trx, `current_setting('transaction_isolation')`)).toBe('repeatable read')
  expect(await read(trx, `current_setting('transaction_read_only')`)).toBe('on')
  await close()
})

test.each([
  `O'Hara`,
  String.raw`back\slash`,
  `'; drop table accounts; --`,
  String.raw`\'; select 1; --`,
  '$1 "quoted"\n\u0000',
])('actor name %j is passed to the session intact', async (name) => {
  const { id } = await openTestAccount(db, 0)
  const actor: Actor = { kind: 'member', id: randomUUID(), name, ip: '127.0.0.1' }
  const told = await actAs(actor, () => inTenant(db, id, (trx) => read<string>(trx, `current_setting('app.actor')`)))
  expect(JSON.parse(told)).toEqual(actor)
})

test('lateBeginDialect supports transactions with an isolation level', async () => {
  const pool = openPool(url, { connectionsMax: 1, applicationName: 'test' })
  const kysely = new Kysely<{ accounts: { id: string; name: string } }>({ dialect: lateBeginDialect(pool) })
  const names = kysely
    .transaction()
    .setIsolationLevel('serializable')
    .execute((trx) => trx.selectFrom('accounts').select('name').execute())
  expect((await names).length).toBeGreaterThan(0)
  await kysely.destroy()
})
