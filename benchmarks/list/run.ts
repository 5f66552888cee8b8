import { parseArgs } from 'node:util'
import { startJobInstance } from '../environment/jobs.ts'
import { drawPopulation, writeCsv } from '../environment/population.ts'
import { describeProfiles } from '../environment/profile.ts'
import { startSimulationHere } from '../environment/simulation.ts'
import { readStorage, readWalBytes } from '../environment/storage.ts'
import { printTable, rounded } from '../report/print-table.ts'
import type { BenchMode } from '../report/product-only.ts'
import { type BareParts, measureBare } from './bare.ts'
import { exportResults } from './copy.ts'
import { measureFar } from './distant.ts'

/** The goal for the product's speed, as a share of the speed of its bare parts. */
const GOAL = 0.5
/** A list long enough for a profile. */
const PROFILED_SHARE = 0.3

/** Fifteen seconds at 2,000 rows/s: long enough to be steady, short enough to be repeated ten times. */
const PRODUCT_ONLY_ROWS = '30000'

type Near = { seconds: number; cpuMs: Record<string, number>; grown: Grown }
/** The bytes that a job added to the database. */
type Grown = { wal: number; used: number; allocated: number }

/**
 * The throughput of a job, from confirmation to completion, compared with the sum of its unavoidable parts: reading the
 * file, probing the servers without any care, and storing the results, all in one run. Then the same list with distant
 * mail servers, compared with one connection per address; and a list with missing addresses, at which mail servers
 * require careful probing.
 */
export async function benchList(args: string[], { isProductOnly }: BenchMode): Promise<object> {
  const { values } = parseArgs({
    args,
    options: {
      rows: { type: 'string', default: isProductOnly ? PRODUCT_ONLY_ROWS : '100000' },
      'mixed-rows': { type: 'string', default: '10000' },
      workers: { type: 'string', default: '2' },
      profile: { type: 'boolean', default: false },
    },
  })
  const [rows, mixedRows, workers] = [Number(values.rows), Number(values['mixed-rows']), Number(values.workers)]
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  try {
    if (isProductOnly) {
      if (values.profile) await showProfile(rows, workers, stop.signal)
      return await measureProduct({ rows, workers }, stop.signal)
    }
    const { bare, ...near } = await measureNear(rows, workers, stop.signal)
    const bareSeconds = bare.parse + bare.probe + bare.copy
    const ratio = bareSeconds / near.seconds
    showNear(rows, near, bare)
    if (ratio < GOAL || values.profile) await showProfile(Math.round(rows * PROFILED_SHARE), workers, stop.signal)
    const far = await measureFar(drawPopulation(rows, { onlyExisting: true }), workers, stop.signal)
    const mixed = await measureFar(drawPopulation(mixedRows, { onlyExisting: false }), workers, stop.signal)
    return {
      rows_per_s: Math.round(rows / near.seconds),
      ratio_to_bare: rounded(ratio),
      speedup_50ms: rounded(far.oursPerSecond / far.peersPerSecond),
      rows,
      workers,
      seconds: rounded(near.seconds),
      bare_seconds: {
        parse: rounded(bare.parse),
        probe: rounded(bare.probe),
        copy: rounded(bare.copy),
        copy_chunks: rounded(bare.copyChunks),
      },
      ...costPerRow(near, rows),
      far_rows_per_s: Math.round(far.oursPerSecond),
      far_peers_rows_per_s: Math.round(far.peersPerSecond),
      mixed_rows: mixedRows,
      mixed_speedup_50ms: rounded(mixed.oursPerSecond / mixed.peersPerSecond),
      mixed_rows_per_s: Math.round(mixed.oursPerSecond),
      mixed_peers_rows_per_s: Math.round(mixed.peersPerSecond),
    }
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}

type Run = { rows: number; workers: number }

/** Only the product's figures of a list whose mail servers are near. */
async function measureProduct({ rows, workers }: Run, signal: AbortSignal): Promise<object> {
  await using cleanUp = new AsyncDisposableStack()
  const near = await validateNear({ rows, workers }, signal, cleanUp)
  return {
    rows_per_s: Math.round(rows / near.seconds),
    rows,
    workers,
    seconds: rounded(near.seconds),
    ...costPerRow(near, rows),
  }
}

async function measureNear(rows: number, workers: number, signal: AbortSignal): Promise<Near & { bare: BareParts }> {
  await using cleanUp = new AsyncDisposableStack()
  const { product, jobId, seconds, cpuMs, grown, ...list } = await validateNear({ rows, workers }, signal, cleanUp)
  await product.stopWorkers()
  const results = await exportResults(product, jobId)
  const bare = await measureBare({ ...list, databaseUrl: product.databaseUrl, results })
  return { seconds, cpuMs, grown, bare }
}

async function validateNear({ rows, workers }: Run, signal: AbortSignal, cleanUp: AsyncDisposableStack) {
  const { size, addresses, others } = drawPopulation(rows, { onlyExisting: true })
  const place = await startSimulationHere(size, signal)
  cleanUp.defer(() => place.stop())
  const product = await startJobInstance({ ...place, workers }, cleanUp)
  const csv = writeCsv(addresses)
  await product.validate([writeCsv(others)])
  const { databaseUrl } = product
  const stored = await readStorage(databaseUrl)
  const wal = await readWalBytes(databaseUrl)
  const { jobIds, seconds, cpuMs } = await product.validate([csv])
  const grownWal = (await readWalBytes(databaseUrl)) - wal
  const { usedBytes, allocatedBytes } = await readStorage(databaseUrl)
  const grown = {
    wal: grownWal,
    used: usedBytes - stored.usedBytes,
    allocated: allocatedBytes - stored.allocatedBytes,
  }
  return { product, seconds, cpuMs, grown, csv, size, addresses, smtpPort: place.smtpPort, jobId: jobIds[0] ?? '' }
}

function showNear(rows: number, { seconds, cpuMs }: Near, bare: BareParts): void {
  printTable(`${rows} rows, 0 ms away`, [
    ['', 'seconds', 'rows/s'],
    ...Object.entries({ ...bare, product: seconds }).map(([name, s]) => [name, s.toFixed(2), Math.round(rows / s)]),
  ])
  printTable('processor time per row', [['', 'µs'], ...Object.entries(perRow(cpuMs, rows))])
}

/** CPU time per row over all workers, and stored bytes per row. */
function costPerRow({ cpuMs, grown }: Near, rows: number) {
  const cpuUs = (part: string) => {
    const parts = Object.entries(cpuMs).filter(([name]) => name.startsWith(part))
    return rounded((parts.reduce((sum, [, ms]) => sum + ms, 0) * 1_000) / rows)
  }
  return {
    cpu_us_per_row: perRow(cpuMs, rows),
    pg_us_per_row: cpuUs('postgres'),
    worker_us_per_row: cpuUs('worker'),
    wal_bytes_per_row: rounded(grown.wal / rows),
    stored_bytes_per_result: rounded(grown.used / rows),
    allocated_bytes_per_result: rounded(grown.allocated / rows),
  }
}

function perRow(cpuMs: Record<string, number>, rows: number): Record<string, number> {
  return Object.fromEntries(Object.entries(cpuMs).map(([name, ms]) => [name, Math.round((ms * 1_000) / rows)]))
}

async function showProfile(rows: number, workers: number, signal: AbortSignal): Promise<void> {
  await using cleanUp = new AsyncDisposableStack()
  const { size, addresses } = drawPopulation(rows, { onlyExisting: true })
  const place = await startSimulationHere(size, signal)
  cleanUp.defer(() => place.stop())
  const product = await startJobInstance({ ...place, workers, isProfiled: true }, cleanUp)
  await product.validate([writeCsv(addresses)])
  await product.stopWorkers()
  process.stderr.write(
    `\nWhere the workers spend their time, ${rows} rows:\n${describeProfiles(product.listProfiles())}`,
  )
}
