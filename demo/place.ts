import { explainNoEntry, UserError } from '@probity/admin/database'
import { isOutage, isReadOnly } from '@probity/database/connection/outage'
import { Redis } from 'ioredis'
import { Client } from 'pg'

/** Databases that only the demo uses; `leave` deletes them. */
export type Place = { databaseUrl: string; redisUrl: string; leave(): Promise<void> }

const DATABASE = 'probity_demo'
const MARK = 'made by pnpm demo'
const START_THEM = '"docker compose up -d --wait" starts PostgreSQL and Redis.'

/**
 * Creates a separate database on both servers. The databases of an installation cannot be used: the demo's worker would process
 * its queue and cache simulated DNS records, for example of gmail.com, in the shared Redis.
 */
export async function takePlace(servers: { databaseUrl: string; redisUrl: string }): Promise<Place> {
  const { databaseUrl } = servers
  // PostgreSQL first: it rejects a second demo, which would otherwise flush the Redis database of the running one.
  await onServer(databaseUrl, makeDatabase).catch((error: unknown) => {
    throw explain(error)
  })
  const dropDatabase = () =>
    onServer(databaseUrl, (client) => client.query(`drop database if exists ${DATABASE} with (force)`))
  try {
    const redis = await takeRedis(servers.redisUrl)
    const leave = async () => void (await Promise.all([redis.leave(), dropDatabase()]))
    return { databaseUrl: withPath(databaseUrl, DATABASE), redisUrl: redis.url, leave }
  } catch (error) {
    await dropDatabase()
    throw error
  }
}

function withPath(url: string, path: string): string {
  const changed = new URL(url)
  changed.pathname = `/${path}`
  return changed.href
}

async function onServer(url: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {}) // the pending query fails with the same error
  try {
    await client.connect()
    await work(client)
  } finally {
    await client.end()
  }
}

/** Drops the database of a killed demo first. Without force, so that a running demo keeps its database. */
async function makeDatabase(client: Client): Promise<void> {
  const found = await client.query(
    "select shobj_description(oid, 'pg_database') as mark from pg_database where datname = $1",
    [DATABASE],
  )
  if (found.rows.some(({ mark }) => mark !== MARK)) throw new UserError(NOT_OURS)
  await client.query(`drop database if exists ${DATABASE}`)
  await client.query(`create database ${DATABASE} template template0`)
  await client.query(`comment on database ${DATABASE} is '${MARK}'`)
}

const NOT_OURS = `PostgreSQL has a database ${DATABASE} that the demo did not create. Rename it to run the demo.`

const FAULTS: Record<string, string> = {
  '55006': 'Another demo is running on this PostgreSQL server.', // object_in_use
  '42501': `The user of PROBITY_DATABASE_URL cannot create the database ${DATABASE}. Grant the right with ALTER ROLE … CREATEDB.`,
}

function explain(error: unknown): unknown {
  if (isOutage(error) && !isReadOnly(error)) {
    return new UserError(`PostgreSQL cannot be reached at PROBITY_DATABASE_URL. ${START_THEM}`)
  }
  const fault = error instanceof Error && 'code' in error ? FAULTS[String(error.code)] : undefined
  return fault === undefined ? explainNoEntry(error) : new UserError(fault)
}

/** The default of Redis. */
const REDIS_DATABASES = 16

/** The last of Redis' numbered databases that is empty, or that a demo used. */
async function takeRedis(url: string): Promise<{ url: string; leave(): Promise<void> }> {
  const redis = new Redis(url, { lazyConnect: true, connectTimeout: 5_000, retryStrategy: () => null })
  redis.on('error', () => {}) // `connect` throws the same error
  try {
    await redis.connect()
  } catch {
    throw new UserError(`Redis cannot be reached at PROBITY_REDIS_URL. ${START_THEM}`)
  }
  for (let number = REDIS_DATABASES - 1; number >= 0; number -= 1) {
    if (!(await isFree(redis, number))) continue
    await redis.multi().flushdb().set(MARK, '').exec()
    return { url: withPath(url, String(number)), leave: () => leaveRedis(redis) }
  }
  redis.disconnect()
  throw new UserError('Redis at PROBITY_REDIS_URL has no empty database for the demo.')
}

async function isFree(redis: Redis, number: number): Promise<boolean> {
  try {
    await redis.select(number)
  } catch {
    return false // this Redis has fewer
  }
  return (await redis.dbsize()) === 0 || (await redis.exists(MARK)) === 1
}

async function leaveRedis(redis: Redis): Promise<void> {
  await redis.flushdb()
  redis.disconnect()
}
