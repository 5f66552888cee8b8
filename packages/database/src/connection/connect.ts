import { CamelCasePlugin, Kysely, sql, type Transaction } from 'kysely'
import { type CustomTypesConfig, escapeLiteral, Pool, type PoolClient, type QueryResult, types } from 'pg'
import { currentActor } from './actor.ts'
import { lateBeginDialect, WITH_BEGIN } from './lazy-begin.ts'
import { READ_ONLY } from './outage.ts'
import type { Schema } from './schema.ts'

/**
 * A connection pool. It can only begin transactions, because tenant and role are set per transaction: a query outside of one would run
 * with the rights of the login, and does not compile.
 */
export type Db = Pick<Kysely<Schema>, 'transaction' | 'startTransaction' | 'destroy'> & { programRole: ProgramRole }
export type Trx = Transaction<Schema>

/** The role of the connecting program: the API, or the worker or maintenance, which have fewer rights. */
export type ProgramRole = 'probity_app' | 'probity_worker' | 'probity_maintenance'

type ConnectOptions = { connectionsMax?: number; applicationName?: string; programRole?: ProgramRole }

export function connect(url: string, options: ConnectOptions = {}): Db {
  const { connectionsMax = 10, applicationName = 'probity', programRole = 'probity_app' } = options
  const pool = openPool(url, { connectionsMax, applicationName, types: { getTypeParser } })
  const kysely = new Kysely<Schema>({ dialect: lateBeginDialect(pool), plugins: [CAMEL_CASE] })
  const db = Object.assign(kysely, { programRole })
  pools.set(db, pool)
  return db
}

/** The connections of each `Db`, for calls without the query builder. */
const pools = new WeakMap<Db, Pool>()

// The content of a JSON column is a customer's result and keeps its own names.
const CAMEL_CASE = new CamelCasePlugin({ maintainNestedObjectKeys: true })

/** Runs `work` as one tenant: row-level security limits it to that account's rows until the commit. */
export function inTenant<T>(db: Db, accountId: string, work: (trx: Trx) => Promise<T>): Promise<T> {
  return workAs(db, { role: db.programRole, accountId }, work)
}

/** A value that a function is called with. */
export type Argument = string | number | boolean | null | ArrayArgument
export type ArrayArgument = { type: 'date' | 'uuid' | 'text' | 'boolean' | 'json'; values: readonly string[] }

export function arrayOf(type: ArrayArgument['type'], values: readonly string[]): ArrayArgument {
  return { type, values }
}

/**
 * Calls one function of the schema as one tenant, in one round trip instead of three. The settings of the transaction and the call are one
 * simple query. PostgreSQL runs it as one transaction, commits it before it responds, and rolls it back if the function fails.
 */
export async function callInTenant<Row>(
  db: Db,
  accountId: string,
  name: string,
  values: readonly Argument[],
): Promise<Row[]> {
  return callAs(db, { role: db.programRole, accountId }, name, values)
}

/** The same without a tenant, for functions that work across accounts. */
export function callWithoutTenant<Row>(db: Db, name: string, values: readonly Argument[]): Promise<Row[]> {
  return callAs(db, { role: db.programRole, accountId: '' }, name, values)
}

async function callAs<Row>(db: Db, settings: RoleSettings, name: string, values: readonly Argument[]): Promise<Row[]> {
  const pool = pools.get(db)
  if (pool === undefined) throw new Error('not a connection of connect()')
  const call = `select * from ${name}(${values.map(writeArgument).join(', ')})`
  const results: unknown = await pool.query(`select ${writeSettings(settings, TRANSACTION_IDLE)}; ${call}`)
  return (results as QueryResult<Row & object>[])[1]?.rows ?? []
}

/** PostgreSQL's own code for a text with NUL. */
const UNTRANSLATABLE = '22021'

/** A simple query has no parameters, so its values are literals. */
function writeArgument(value: Argument): string {
  if (typeof value === 'string') return writeText(value)
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return String(value)
  return `array[${value.values.map(writeText).join(', ')}]::${value.type}[]`
}

/** Like `escapeLiteral` of the driver, but not character by character, because the results of a group are some hundred kilobytes. */
function writeText(text: string): string {
  // NUL would end the statement.
  if (text.includes('\0')) throw Object.assign(new Error('a text has a NUL character'), { code: UNTRANSLATABLE })
  const quoted = `'${text.replaceAll("'", "''")}'`
  return text.includes('\\') ? ` E${quoted.replaceAll('\\', '\\\\')}` : quoted
}

/** Works with no account selected: no row of an account is visible, only the functions made for this can be used. */
export function withoutTenant<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  return workAs(db, { role: db.programRole, accountId: '' }, work)
}

/** Runs `work` with the rights of the login, without row-level security. For migrations and operator commands only. */
export function asOwner<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    const actor = currentActor()
    if (actor !== '') await sql`select set_config('app.actor', ${actor}, true)`.execute(trx)
    return work(trx)
  })
}

/** Runs `work` as an operator of the installation: for all accounts, with the columns and functions of operators. */
export function asOperator<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  return workAs(db, { role: 'probity_operator', accountId: '' }, work)
}

/** The same with one account selected, to move its credits. */
export function asOperatorOf<T>(db: Db, accountId: string, work: (trx: Trx) => Promise<T>): Promise<T> {
  return workAs(db, { role: 'probity_operator', accountId }, work)
}

/** A reader may be slow, but its connection is closed after this time without a read. */
const SNAPSHOT_IDLE = '90s'

/** A read-only snapshot of a tenant's rows for many reads, which do not see later changes. The caller closes it. */
export async function openSnapshot(db: Db, accountId: string): Promise<{ trx: Trx; close(): Promise<void> }> {
  const beginning = db.startTransaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  const trx = await beginning.execute()
  const close = async () => void (await trx.rollback().execute())
  try {
    await restrictRole(trx, { role: db.programRole, accountId }, SNAPSHOT_IDLE)
  } catch (error) {
    await close()
    throw error
  }
  return { trx, close }
}

type RoleSettings = { role: ProgramRole | 'probity_operator'; accountId: string }

function workAs<T>(db: Db, settings: RoleSettings, work: (trx: Trx) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await restrictRole(trx, settings, TRANSACTION_IDLE)
    return work(trx)
  })
}

/**
 * Sets everything for this transaction alone, because behind a transaction-mode pooler the session belongs to another client after the
 * commit. It is sent with BEGIN, which allows no parameters, so the values are part of the statement.
 */
async function restrictRole(trx: Trx, settings: RoleSettings, idle: string): Promise<void> {
  await sql.raw(`${WITH_BEGIN}select ${writeSettings(settings, idle)}`).execute(trx)
}

const TRANSACTION_IDLE = '5s'

function writeSettings({ role, accountId }: RoleSettings, idle: string): string {
  const settings = {
    role,
    'app.account_id': accountId,
    'app.actor': currentActor(),
    statement_timeout: '10s',
    lock_timeout: '5s',
    idle_in_transaction_session_timeout: idle,
  }
  const set = Object.entries(settings).map(([name, value]) => `set_config('${name}', ${escapeLiteral(value)}, true)`)
  return set.join(', ')
}

const BIGINT = 20
const DATE = 1082

/** Counts and credits fit a double exactly up to 2^53; dates stay text, since a day has no time zone. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === BIGINT) return Number
  if (oid === DATE) return String
  return types.getTypeParser(oid, format as 'text')
}

type PoolOptions = {
  /** Small on purpose: a hundred processes share one server through a pooler. */
  connectionsMax: number
  applicationName: string
  types?: CustomTypesConfig
}

export function openPool(url: string, { connectionsMax, applicationName, types }: PoolOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    max: connectionsMax,
    application_name: applicationName,
    connectionTimeoutMillis: 2_000, // also the longest wait for a connection of the pool: a client gets 503 within two seconds
    query_timeout: 12_000, // above the server's own statement_timeout: ends queries on a half-open connection
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    verify: refuseReadOnly,
    ...(types && { types }),
  })
  // An idle connection that the server closes emits this; the pool has removed it already and opens another on demand.
  pool.on('error', () => {})
  // A connection that is closed between two statements of a transaction emits an error itself, which without a listener would end the
  // process. The next statement fails for the same reason.
  pool.on('connect', (client) => client.on('error', () => {}))
  discardReadOnly(pool)
  return pool
}

/** Reads need a primary too: a standby that lags behind still has keys that are revoked. */
function refuseReadOnly(client: PoolClient, done: (error?: Error) => void): void {
  const reading = client.query<{ transaction_read_only: string }>('show transaction_read_only')
  reading.then(({ rows }) => done(rows[0]?.transaction_read_only === 'on' ? readOnlyError() : undefined), done)
}

function readOnlyError(): Error {
  return Object.assign(new Error('the PostgreSQL server is read-only'), { code: READ_ONLY })
}

/** Closes connections whose server became read-only, after their transaction: the next one may reach the new primary. */
function discardReadOnly(pool: Pool): void {
  const readOnly = new WeakSet<PoolClient>()
  pool.on('connect', (client) => {
    client.connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === READ_ONLY) readOnly.add(client)
    })
  })
  // The pool does not keep a released connection that has ended.
  pool.on('release', (_error, client) => {
    if (readOnly.has(client)) void client.end()
  })
}
