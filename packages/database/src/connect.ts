import { CamelCasePlugin, Kysely, sql, type Transaction } from 'kysely'
import { escapeLiteral, types } from 'pg'
import { currentActor } from './actor.ts'
import { lateBeginDialect, WITH_BEGIN } from './late-begin.ts'
import { openPool } from './pool.ts'
import type { Schema } from './schema.ts'

/**
 * A pool of connections. It can only begin transactions, because both the tenant and the role are set for one transaction
 * at a time: a query beside one would run with the rights of whoever logged in, and does not compile.
 */
export type Db = Pick<Kysely<Schema>, 'transaction' | 'startTransaction' | 'destroy'>
export type Trx = Transaction<Schema>

type ConnectOptions = { connectionsMax?: number; applicationName?: string }

export function connect(url: string, { connectionsMax = 10, applicationName = 'probity' }: ConnectOptions = {}): Db {
  const pool = openPool(url, { connectionsMax, applicationName, types: { getTypeParser } })
  return new Kysely<Schema>({ dialect: lateBeginDialect(pool), plugins: [CAMEL_CASE] })
}

// What stands inside a JSON column is a customer's answer and keeps its own names.
const CAMEL_CASE = new CamelCasePlugin({ maintainNestedObjectKeys: true })

/** Works as one tenant: row-level security shows and takes that account's rows only, until the commit. */
export function inTenant<T>(db: Db, accountId: string, work: (trx: Trx) => Promise<T>): Promise<T> {
  return asApp(db, accountId, work)
}

/** Works as the product with no tenant chosen: no customer's row is visible, only the functions made for this are. */
export function asNobody<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  return asApp(db, '', work)
}

/** Works with the rights of the user who logged in, past row-level security. For migrations and operators' commands only. */
export function asOwner<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    const actor = currentActor()
    if (actor !== '') await sql`select set_config('app.actor', ${actor}, true)`.execute(trx)
    return work(trx)
  })
}

/** Works for somebody who runs the installation: over all accounts, by the columns and functions that operators have. */
export function asOperator<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  return workAs(db, { role: 'probity_operator', accountId: '' }, work)
}

/** The same with one account in hand, for what moves its credits. */
export function asOperatorOf<T>(db: Db, accountId: string, work: (trx: Trx) => Promise<T>): Promise<T> {
  return workAs(db, { role: 'probity_operator', accountId }, work)
}

/** A reader may take its time, but one that takes nothing for this long gives the connection back. */
const SNAPSHOT_IDLE = '90s'

/**
 * One view of a tenant's rows for many reads, none of which sees what is written meanwhile. It changes nothing, and whoever opens it
 * closes it.
 */
export async function openSnapshot(db: Db, accountId: string): Promise<{ trx: Trx; close(): Promise<void> }> {
  const beginning = db.startTransaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  const trx = await beginning.execute()
  const close = async () => void (await trx.rollback().execute())
  try {
    await stepDown(trx, { role: 'probity_app', accountId }, SNAPSHOT_IDLE)
  } catch (error) {
    await close()
    throw error
  }
  return { trx, close }
}

function asApp<T>(db: Db, accountId: string, work: (trx: Trx) => Promise<T>): Promise<T> {
  return workAs(db, { role: 'probity_app', accountId }, work)
}

type Standing = { role: 'probity_app' | 'probity_operator'; accountId: string }

function workAs<T>(db: Db, standing: Standing, work: (trx: Trx) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await stepDown(trx, standing, '5s')
    return work(trx)
  })
}

/**
 * All for this transaction alone: behind a transaction-mode pooler the session belongs to somebody else after the commit. Together with its beginning,
 * which allows no parameters, so what is set stands in the statement.
 */
async function stepDown(trx: Trx, { role, accountId }: Standing, idle: string): Promise<void> {
  const settings = {
    role,
    'app.account_id': accountId,
    'app.actor': currentActor(),
    statement_timeout: '10s',
    lock_timeout: '5s',
    idle_in_transaction_session_timeout: idle,
  }
  const set = Object.entries(settings).map(([name, value]) => `set_config('${name}', ${escapeLiteral(value)}, true)`)
  await sql.raw(`${WITH_BEGIN}select ${set.join(', ')}`).execute(trx)
}

const BIGINT = 20
const DATE = 1082

/** Counts and credits fit a double exactly up to 2^53; dates stay text, since a day has no time zone. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === BIGINT) return Number
  if (oid === DATE) return String
  return types.getTypeParser(oid, format as 'text')
}
