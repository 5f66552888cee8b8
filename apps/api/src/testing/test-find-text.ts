import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { asOwner } from '@probity/database/connection/connect'
import { decodeChunk } from '@probity/database/jobs/results/result-chunk'
import type { Redis } from 'ioredis'
import { sql } from 'kysely'
import type { TestApi } from './test-api.ts'

/** All tables with rows, partitions included. */
async function listTables({ db }: Pick<TestApi, 'db'>): Promise<string[]> {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ name: string }>`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`.execute(
      trx,
    ),
  )
  return rows.map(({ name }) => name)
}

/** Tables with a text in any column, ignoring case. Compressed results are searched by `findInResults`. */
export async function findText(api: Pick<TestApi, 'db'>, text: string): Promise<string[]> {
  const found: string[] = []
  for (const table of await listTables(api)) {
    const { rows } = await asOwner(api.db, (trx) =>
      sql<{ n: number }>`
        select count(*) as n from ${sql.table(table)} t where strpos(lower(t::text), lower(${text})) > 0`.execute(trx),
    )
    if ((rows[0]?.n ?? 0) > 0) found.push(table.replace(/_\d{8}$/, ''))
  }
  return [...new Set(found)].toSorted()
}

/** Number of result chunks with a text. */
export async function findInResults({ db }: Pick<TestApi, 'db'>, text: string): Promise<number> {
  const chunks = await asOwner(db, (trx) => trx.selectFrom('resultChunks').selectAll().execute())
  return chunks.filter((chunk) => JSON.stringify(decodeChunk(chunk)).toLowerCase().includes(text)).length
}

/** Stored files with a text, previews included. */
export function findInFiles({ config: { storage } }: Pick<TestApi, 'config'>, text: string): string[] {
  if (storage.kind !== 'folder') throw new Error('the files are in a bucket')
  const files = readdirSync(storage.folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  return files
    .filter(({ name, parentPath }) => readFileSync(join(parentPath, name), 'utf8').toLowerCase().includes(text))
    .map(({ name }) => name)
}

/** Redis keys with a text in their name or value. */
export async function findInRedis({ services: { redis } }: Pick<TestApi, 'services'>, text: string): Promise<string[]> {
  const found: string[] = []
  for await (const keys of redis.scanStream({ count: 1_000 }) as AsyncIterable<string[]>) {
    for (const key of keys) {
      const value = await readValue(redis, key)
      if (`${key} ${JSON.stringify(value)}`.toLowerCase().includes(text)) found.push(key)
    }
  }
  return found
}

async function readValue(redis: Redis, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'string':
      return redis.get(key).catch(() => '') // replaced by another type meanwhile
    case 'hash':
      return redis.hgetall(key)
    case 'list':
      return redis.lrange(key, 0, -1)
    case 'set':
      return redis.smembers(key)
    case 'zset':
      return redis.zrange(key, '0', '-1')
    case 'stream':
      return redis.xrange(key, '-', '+')
    default:
      return ''
  }
}
