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
  ['nobody listens', coded('ECONNREFUSED'), true],
  ['the peer hung up', coded('ECONNRESET'), true],
  ['there is no route', coded('ENETUNREACH'), true],
  ['the name is not known just now', coded('EAI_AGAIN'), true],
  ['too many connections', coded('53300'), true],
  ['shutting down', coded('57P01'), true],
  ['starting up', coded('57P03'), true],
  ['the statement took too long', coded('57014'), true],
  ['the lock took too long', coded('55P03'), true],
  ['the connection failed', coded('08006'), true],
  ['the pooler had no server for us', coded('08P01'), true],
  ['the driver lost its connection', new Error('Connection terminated unexpectedly'), true],
  ['the pool had no connection in time', new Error('timeout exceeded when trying to connect'), true],
  ['no answer in time', new Error('Query read timeout'), true],
  ['a unique value twice', coded('23505'), false],
  ['a deadlock', coded('40P01'), false],
  ['no right to it', coded('42501'), false],
  ['no such table', coded('42P01'), false],
  ['a wrong password', coded('28P01'), false],
  ['a bug of ours', new TypeError('x is not a function'), false],
  ['a text that only speaks of it', new Error('the message was: Connection terminated'), false],
  ['no error at all', 'ECONNREFUSED', false],
  ['nothing', undefined, false],
]

test.for(ERRORS)('%s', ([, error, expected]) => {
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

test('a server that is not there is an outage', async () => {
  const nowhere = connect('postgres://postgres@127.0.0.1:1/postgres') // nobody listens on port 1
  const asking = asOwner(nowhere, (trx) => sql`select 1`.execute(trx))
  expect(isOutage(await errorOf(asking))).toBe(true)
  await nowhere.destroy()
})

test('a connection that the server ends in the middle is an outage, and the pool goes on', async () => {
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

test('a statement that outlasts its time is an outage, one that is wrong is not', async () => {
  const slow = asOwner(db, async (trx) => {
    await sql`set local statement_timeout = '10ms'`.execute(trx)
    await sql`select pg_sleep(5)`.execute(trx)
  })
  expect(isOutage(await errorOf(slow))).toBe(true)
  const wrong = asOwner(db, (trx) => sql`select * from no_such_table`.execute(trx))
  expect(isOutage(await errorOf(wrong))).toBe(false)
})

test('more callers than connections are told so within the time a caller waits', { tags: ['timed'] }, async () => {
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
