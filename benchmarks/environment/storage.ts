import { setTimeout as sleep } from 'node:timers/promises'
import { openPool } from '@probity/database/connection/connect'

/** The tables with job results and their parts. Each version of the product has some of them. */
const RESULT_TABLES = ['job_results', 'result_chunks', 'job_breakdowns', 'job_batches', 'job_queue']

const REWRITTEN_WITHIN_MS = 5 * 60_000
const POLL_MS = 100

export type Storage = {
  /** The size of the tables and their indexes. */
  allocatedBytes: number
  /** The same without empty pages, which PostgreSQL reuses for later results. */
  usedBytes: number
}

/** WAL bytes that the server has written so far. */
export function readWalBytes(databaseUrl: string): Promise<number> {
  return readNumber(databaseUrl, `select (pg_current_wal_insert_lsn() - '0/0')::float8 as value`)
}

/** The sizes of the result tables. Vacuums them first, so that the space of deleted rows counts as free. */
export async function readStorage(databaseUrl: string): Promise<Storage> {
  const pool = openPool(databaseUrl, { connectionsMax: 1, applicationName: 'bench' })
  try {
    const present = await pool.query<{ name: string }>(
      'select name from unnest($1::text[]) as name where to_regclass(name) is not null',
      [RESULT_TABLES],
    )
    const names = present.rows.map(({ name }) => name)
    await pool.query(`vacuum ${names.join(', ')}`)
    await pool.query('create extension if not exists pg_freespacemap')
    const { rows } = await pool.query<{ allocated: number; free: number }>(SIZES, [names])
    const { allocated = 0, free = 0 } = rows[0] ?? {}
    return { allocatedBytes: allocated, usedBytes: allocated - free }
  } finally {
    await pool.end()
  }
}

/**
 * Includes the tables, their partitions, TOAST tables and all indexes. An empty page has about 8,160 bytes of free
 * space.
 */
const SIZES = `
  with tables as (
    select c.oid, c.reltoastrelid from pg_class c
    where c.relkind = 'r' and (c.oid = any ($1::regclass[])
      or c.oid in (select i.inhrelid from pg_inherits i where i.inhparent = any ($1::regclass[])))
  ), heaps as (
    select oid from tables union select reltoastrelid from tables where reltoastrelid <> 0
  ), files as (
    select oid from heaps union select indexrelid from pg_index where indrelid in (select oid from heaps)
  )
  select (select coalesce(sum(pg_total_relation_size(oid)), 0) from tables)::float8 as allocated,
    (select count(*) * current_setting('block_size')::integer from files, pg_freespace(files.oid) as page
     where page.avail >= 8000)::float8 as free`

/**
 * Resolves when the results of these jobs are stored in their final form: in row order, when the product rewrites them
 * after completion.
 */
export async function untilRewritten(databaseUrl: string, jobIds: string[]): Promise<void> {
  const isRewriting = await readNumber(
    databaseUrl,
    `select count(*)::float8 as value from information_schema.columns
     where table_name = 'jobs' and column_name = 'results_generation'`,
  )
  if (isRewriting === 0) return
  for (const deadline = Date.now() + REWRITTEN_WITHIN_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const left = await readNumber(
      databaseUrl,
      'select count(*)::float8 as value from jobs where id = any ($1::uuid[]) and results_generation = 0',
      [jobIds],
    )
    if (left === 0) return
  }
  throw new Error('the results of a list were not rewritten in time')
}

async function readNumber(databaseUrl: string, text: string, values: unknown[] = []): Promise<number> {
  const pool = openPool(databaseUrl, { connectionsMax: 1, applicationName: 'bench' })
  try {
    const { rows } = await pool.query<{ value: number }>(text, values)
    return Number(rows[0]?.value ?? 0)
  } finally {
    await pool.end()
  }
}
