import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import { insertAccount } from '@probity/database/accounts/accounts'
import { asOwner, connect, type Db } from '@probity/database/connection/connect'
import { keepPartitions } from '@probity/database/system/retention'
import { sql } from 'kysely'
import { startBenchInstance } from '../environment/instance.ts'
import { openLoad, waitOf } from '../environment/load.ts'
import { rounded } from '../report/print-table.ts'
import type { BenchMode } from '../report/product-only.ts'
import { mountOf, mountOwnDisk } from './loop-disk.ts'

const RATE = 60
/**
 * Seconds of client load before and during the purge, and between the start of the latter and the deletion of results.
 */
const WHOLE = { rows: '10000000', warmUpSeconds: 10, seconds: 30, purgeAfterMs: 5_000 }
/** One disk, and as many results as can be written in a few seconds. */
const PRODUCT_ONLY = { rows: '300000', warmUpSeconds: 3, seconds: 6, purgeAfterMs: 1_000 }
const DAY_MS = 86_400_000

/** Results in row order, as stored after their job has completed: about 110 bytes each. */
const CHUNK_ROWS = 500
const CHUNK_BYTES = { index: 10_000, results: 45_000 }

/** More than ten times the size of ten million results: indexes and WAL need space too. */
const DISK_GB = 24

/**
 * The time to delete the results of one day, and its effect on clients: on a disk as Debian mounts it, and on this
 * machine's disk as mounted. On a disk with `discard`, all writes wait while the disk is told which blocks became free.
 */
export async function benchPurge(args: string[], { isProductOnly }: BenchMode): Promise<object> {
  const lengths = isProductOnly ? PRODUCT_ONLY : WHOLE
  const { values } = parseArgs({ args, options: { rows: { type: 'string', default: lengths.rows } } })
  const rows = Number(values.rows)
  await using cleanUp = new AsyncDisposableStack()
  if (isProductOnly) return { rows, ...(await measure(rows, mountOwnDisk(DISK_GB, cleanUp), lengths)) }
  const asMounted = await measure(rows, tmpdir(), lengths)
  const figures = await measure(rows, mountOwnDisk(DISK_GB, cleanUp), lengths)
  return {
    rows,
    ...figures,
    as_mounted: { mount: mountOf(tmpdir()), ...asMounted },
    p99_ratio_as_mounted: asMounted.p99_ratio,
  }
}

async function measure(rows: number, disk: string, lengths: typeof WHOLE) {
  await using cleanUp = new AsyncDisposableStack()
  const product = await startBenchInstance(disk)
  cleanUp.defer(() => product.stop())
  const db = connect(product.databaseUrl, { connectionsMax: 2 })
  cleanUp.defer(() => db.destroy())
  const load = openLoad(product, cleanUp)

  await fillYesterday(db, product.databaseUrl, rows)
  const size = await sizeOfYesterday(db)
  process.stderr.write(`${rows} results are there, ${Math.round(size / 2 ** 20)} MB, on ${mountOf(disk)}\n`)
  await load(RATE, lengths.warmUpSeconds) // does not count: it fills caches and compiles code
  const before = waitOf(0.99, await load(RATE, lengths.seconds))
  const meanwhile = load(RATE, lengths.seconds)
  await sleep(lengths.purgeAfterMs)
  const began = performance.now()
  const { dropped } = await keepPartitions(db)
  const seconds = (performance.now() - began) / 1_000
  const during = waitOf(0.99, await meanwhile)
  if (dropped === 0) throw new Error('nothing was purged')
  const figures = {
    mb: Math.round(size / 2 ** 20),
    purge_s: rounded(seconds),
    p99_ms_before: rounded(before),
    p99_ms_during: rounded(during),
    p99_ratio: rounded(during / before),
  }
  process.stderr.write(`${JSON.stringify(figures)}\n`)
  return figures
}

/**
 * Results of a list that expired at midnight, in their own partition. They are written before the table becomes a
 * partition, by psql without a timeout: maintaining the indexes of ten million rows during the insert takes longer than
 * the whole measurement.
 */
async function fillYesterday(db: Db, databaseUrl: string, rows: number): Promise<void> {
  const account = await asOwner(db, (trx) => insertAccount(trx, { name: 'old', plan: 'scale', unlimited: true }))
  const day = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10)
  const name = `result_chunks_${day.replaceAll('-', '')}`
  const [indexes, results] = [CHUNK_BYTES.index, CHUNK_BYTES.results].map((bytes) => Math.round(bytes / 16))
  const statements = [
    `drop table if exists ${name}`,
    `create table ${name} (like result_chunks including defaults including constraints including storage)`,
    `insert into ${name} (expires_on, account_id, job_id, generation, no, size, first_row, last_row, row_nos, tally, index, results)
     select '${day}', '${account.id}', md5((n / 200)::text)::uuid, 1, n % 200, ${CHUNK_ROWS}, n * ${CHUNK_ROWS} + 1, (n + 1) * ${CHUNK_ROWS},
       array(select generate_series(n * ${CHUNK_ROWS} + 1, (n + 1) * ${CHUNK_ROWS})),
       '[{"status": "unknown", "sub_status": "greylisted", "safe_to_send": false, "override": null, "count": ${CHUNK_ROWS}}]',
       decode(repeat(md5(n::text), ${indexes}), 'hex'), decode(repeat(md5((-n)::text), ${results}), 'hex')
     from generate_series(0, ${Math.ceil(rows / CHUNK_ROWS) - 1}) n`,
    `alter table result_chunks attach partition ${name} for values from ('${day}') to ('${day}'::date + 1)`,
  ]
  const commands = statements.flatMap((statement) => ['--command', statement])
  await promisify(execFile)('psql', [databaseUrl, '--no-psqlrc', '--quiet', '--set', 'ON_ERROR_STOP=1', ...commands])
}

async function sizeOfYesterday(db: Db): Promise<number> {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ bytes: number }>`
      select pg_total_relation_size('result_chunks' || to_char(utc_today() - 1, '_YYYYMMDD')) as bytes`.execute(trx),
  )
  return Number(rows[0]?.bytes ?? 0)
}
