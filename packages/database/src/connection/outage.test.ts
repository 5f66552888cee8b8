import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { asOwner, connect } from './connect.ts'
import { isOutage } from './outage.ts'
import { createTestDatabase } from './test-database.ts'

const { db, url } = await createTestDatabase()

function coded(code: string): Error {
  return Object.assign(new Error('…'), { code })
}

const ERRORS: [string, unknown, boolean][] = [
  ['connection refused', coded('ECONNREFUSED'), true],
  ['the peer reset the connection', coded('ECONNRESET'), true],
  ['there is no route', coded('ENETUNREACH'), true],
  ['a temporary DNS failure', coded('EAI_AGAIN'), true],
  ['too many connections', coded('53300'), true],
  ['shutting down', coded('57P01'), true],
  ['starting up', coded('57P03'), true],
  ['the session was idle for too long', coded('57P05'), true],
  ['the server is read-only', coded('25006'), true],
  ['the statement took too long', coded('57014'), true],
  ['the lock took too long', coded('55P03'), true],
  ['the connection failed', coded('08006'), true],
  ['the pooler had no server connection', coded('08P01'), true],
  ['the driver lost its connection', new Error('Connection terminated unexpectedly'), true],
  ['the pool had no connection in time', new Error('timeout exceeded when trying to connect'), true],
  ['no response in time', new Error('Query read timeout'), true],
  ['a unique value twice', coded('23505'), false],
  ['a deadlock', coded('40P01'), false],
  ['permission denied', coded('42501'), false],
  ['no such table', coded('42P01'), false],
  ['a wrong password', coded('28P01'), false],
  ['a bug of ours', new TypeError('x is not a function'), false],
  ['another error that quotes the message', new Error('the message was: Connection terminated'), false],
  ['no error at all', 'ECONNREFUSED', false],
  ['nothing', undefined, false],
]

test.for(ERRORS)('isOutage: %s', ([, error, expected]) => {
  expect(isOutage(error)).toBe(expected)
})

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(Error)
  return error
}

test('an unreachable server is an outage', async () => {
  const nowhere = connect('postgres://postgres@127.0.0.1:1/postgres') // no server listens on port 1
  const asking = asOwner(nowhere, (trx) => sql`select 1`.execute(trx))
  expect(isOutage(await errorOf(asking))).toBe(true)
  await nowhere.destroy()
})

test('a connection that the server closes is an outage, and the pool stays usable', async () => {
  const single = connect(url, { connectionsMax: 1 })
  const asking = asOwner(single, async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
    await asOwner(db, (other) => sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(other))
    await sql`select 1`.execute(trx)
  })
  expect(isOutage(await errorOf(asking))).toBe(true)
  expect((await asOwner(single, (trx) => sql`select 1 as one`.execute(trx))).rows).toEqual([{ one: 1 }])
  await single.destroy()
})

test('a statement timeout is an outage, an invalid statement is not', async () => {
  const slow = asOwner(db, async (trx) => {
    await sql`set local statement_timeout = '10ms'`.execute(trx)
    await sql`select pg_sleep(5)`.execute(trx)
  })
  expect(isOutage(await errorOf(slow))).toBe(true)
  const wrong = asOwner(db, (trx) => sql`select * from no_such_table`.execute(trx))
  expect(isOutage(await errorOf(wrong))).toBe(false)
})

test('requests without a connection fail within the connection timeout', { tags: ['timed'] }, async () => {
  const single = connect(url, { connectionsMax: 1 })
  const holding = Promise.withResolvers<void>()
  const held = asOwner(single, () => holding.promise)
  const began = performance.now()
  const waiting = asOwner(single, (trx) => sql`select 1`.execute(trx))
  expect(isOutage(await errorOf(waiting))).toBe(true)
  expect(performance.now() - began).toBeLessThan(3_000)
  holding.resolve()
  await held
  await single.destroy()
})
