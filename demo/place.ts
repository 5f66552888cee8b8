import { explainNoEntry } from '@probity/admin/database'
import { Refusal } from '@probity/admin/refusal'
import { isOutage } from '@probity/database/outage'
import { Redis } from 'ioredis'
import { Client } from 'pg'

/** Databases that hold nothing but the demo, and are gone after it. */
export type Place = { databaseUrl: string; redisUrl: string; leave(): Promise<void> }

const DATABASE = 'probity_demo'
const MARK = 'made by pnpm demo'
const START_THEM = '"docker compose up -d --wait" starts PostgreSQL and Redis.'

/**
 * Takes a database of its own on both servers. Those of an installation will not do: the demo's worker answers whatever waits in
 * its database, and leaves in Redis what a made-up DNS says of gmail.com, where all workers would believe it.
 */
export async function takePlace(servers: { databaseUrl: string; redisUrl: string }): Promise<Place> {
  const { databaseUrl } = servers
  // PostgreSQL first: it refuses a second demo, which would else empty the Redis of the one that is running.
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
  client.on('error', () => {}) // the query that is under way meets it too
  try {
    await client.connect()
    await work(client)
  } finally {
    await client.end()
  }
}

/** What a demo left that was killed is removed first. Without force: one that is running keeps its database. */
async function makeDatabase(client: Client): Promise<void> {
  const found = await client.query(
    "select shobj_description(oid, 'pg_database') as mark from pg_database where datname = $1",
    [DATABASE],
  )
  if (found.rows.some(({ mark }) => mark !== MARK)) throw new Refusal(NOT_OURS)
  await client.query(`drop database if exists ${DATABASE}`)
  await client.query(`create database ${DATABASE} template template0`)
  await client.query(`comment on database ${DATABASE} is '${MARK}'`)
}

const NOT_OURS = `PostgreSQL has a database ${DATABASE} that the demo did not make, so it is left alone. Rename it to run the demo.`

const FAULTS: Record<string, string> = {
  '55006': 'A demo is running on this PostgreSQL already.', // object_in_use
  '42501': `The demo makes a database ${DATABASE}, and the user of DATABASE_URL may not: ALTER ROLE … CREATEDB allows it.`,
}

function explain(error: unknown): unknown {
  if (isOutage(error)) return new Refusal(`PostgreSQL cannot be reached at DATABASE_URL. ${START_THEM}`)
  const fault = error instanceof Error && 'code' in error ? FAULTS[String(error.code)] : undefined
  return fault === undefined ? explainNoEntry(error) : new Refusal(fault)
}

/** As many as Redis has unless it is told otherwise. */
const REDIS_DATABASES = 16

/** The last of Redis' numbered databases that is empty, or that a demo used. */
async function takeRedis(url: string): Promise<{ url: string; leave(): Promise<void> }> {
  const redis = new Redis(url, { lazyConnect: true, connectTimeout: 5_000, retryStrategy: () => null })
  redis.on('error', () => {}) // `connect` meets it too
  try {
    await redis.connect()
  } catch {
    throw new Refusal(`Redis cannot be reached at REDIS_URL. ${START_THEM}`)
  }
  for (let number = REDIS_DATABASES - 1; number >= 0; number -= 1) {
    if (!(await isFree(redis, number))) continue
    await redis.multi().flushdb().set(MARK, '').exec()
    return { url: withPath(url, String(number)), leave: () => leaveRedis(redis) }
  }
  redis.disconnect()
  throw new Refusal('Redis at REDIS_URL has no empty database that the demo could use.')
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
