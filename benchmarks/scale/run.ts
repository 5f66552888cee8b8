import { parseArgs } from 'node:util'
import { connectRedis } from '@probity/redis/connection'
import { type JobInstance, startJobInstance } from '../environment/jobs.ts'
import { drawPopulation, writeCsv } from '../environment/population.ts'
import { type Place, startSimulationHere } from '../environment/simulation.ts'
import { readStorage, readWalBytes } from '../environment/storage.ts'
import type { PerRow } from '../report/capacity.ts'
import { printTable, rounded } from '../report/print-table.ts'
import type { BenchMode } from '../report/product-only.ts'

/** Warms up the workers before the measurement. */
const WARM_UP_ROWS = 5_000
/**
 * Fifteen seconds at 2,000 rows/s. The cost of a row hardly depends on the number of rows, as the full benchmark shows.
 */
const PRODUCT_ONLY_ROWS = '30000'

type Run = { rows: number; files: number; workers: number }
type Measured = Run & { seconds: number; total: number; perRow: PerRow }

/**
 * The CPU cost of a row, over all our processes and the two databases, as lists get larger; the largest is uploaded as
 * ten files at once. Also the throughput of one list with one worker and with two. Every size has its own simulation
 * with the same number of rows per domain.
 */
export async function benchScale(args: string[], { isProductOnly }: BenchMode): Promise<object> {
  const defaultRows = isProductOnly ? PRODUCT_ONLY_ROWS : '1000000'
  const { values } = parseArgs({ args, options: { rows: { type: 'string', default: defaultRows } } })
  const most = Number(values.rows)
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  const largest: Run = { rows: most, files: 10, workers: 2 }
  const smaller: Run[] = [
    { rows: most / 100, files: 1, workers: 2 },
    { rows: most / 10, files: 1, workers: 2 },
    { rows: most / 10, files: 1, workers: 1 },
  ]
  const runs = isProductOnly ? [largest] : [...smaller, largest]
  const done: Measured[] = []
  for (const run of runs) {
    done.push(await measure(run, stop.signal))
    show(done.slice(-1))
  }
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  if (isProductOnly) return summarizeEach(done)
  show(done)
  const [small, middle, alone, large] = done as [Measured, Measured, Measured, Measured]
  return {
    cost_growth_1m_vs_10k: rounded(large.total / small.total),
    cost_growth_100k_vs_10k: rounded(middle.total / small.total),
    ...summarizeEach(done),
    rows_per_s_1_worker: perS(alone),
    rows_per_s_2_workers: perS(middle),
    speedup_2_workers: rounded(perS(middle) / perS(alone)),
  }
}

function perS({ rows, seconds }: Measured): number {
  return Math.round(rows / seconds)
}

/** The figures of each run, and the cost of a row in the last one, which is the largest. */
function summarizeEach(done: Measured[]) {
  return {
    rows: done.map(({ rows }) => rows),
    cpu_us_per_row: done.map(({ total }) => Math.round(total)),
    cpu_us_by_process: done.map(({ perRow }) => perRow.cpuUs),
    rows_per_s: done.map(perS),
    per_row: done.at(-1)?.perRow,
  }
}

async function measure({ rows, files, workers }: Run, signal: AbortSignal): Promise<Measured> {
  await using cleanUp = new AsyncDisposableStack()
  const { size, addresses } = drawPopulation(rows + WARM_UP_ROWS, { onlyExisting: true })
  const place = await startSimulationHere(size, signal)
  cleanUp.defer(() => place.stop())
  const product = await startJobInstance({ ...place, workers }, cleanUp)
  await product.validate([writeCsv(addresses.slice(rows))])
  const each = rows / files
  const lists = Array.from({ length: files }, (_, n) => writeCsv(addresses.slice(n * each, (n + 1) * each)))
  const before = await readMeters(product, place)
  const { seconds, cpuMs } = await product.validate(lists)
  const after = await readMeters(product, place)
  const cpuUs = Object.fromEntries(Object.entries(cpuMs).map(([name, ms]) => [name, rounded((ms * 1_000) / rows)]))
  const total = Object.values(cpuUs).reduce((sum, us) => sum + us, 0)
  const grown = (name: keyof Meters) => rounded((after[name] - before[name]) / rows)
  const perRow = {
    cpuUs,
    redisCommands: grown('redisCommands'),
    walBytes: grown('walBytes'),
    keptBytes: grown('keptBytes'),
    connections: grown('connections'),
  }
  return { rows, files, workers, seconds, total, perRow }
}

type Meters = Omit<PerRow, 'cpuUs'>

/** The counters of both databases and the mail servers so far. */
async function readMeters({ databaseUrl, redisUrl }: JobInstance, place: Place): Promise<Meters> {
  const redis = connectRedis(redisUrl)
  try {
    await new Promise((resolve) => redis.once('ready', resolve))
    const stats = await redis.info('stats')
    const walBytes = await readWalBytes(databaseUrl) // before readStorage, which vacuums
    const { usedBytes } = await readStorage(databaseUrl)
    return {
      redisCommands: Number(/total_commands_processed:(\d+)/.exec(stats)?.[1]),
      walBytes,
      keptBytes: usedBytes,
      connections: await place.connections(),
    }
  } finally {
    redis.disconnect()
  }
}

function show(done: Measured[]): void {
  printTable('processor time of all our processes', [
    ['rows', 'files', 'workers', 'rows/s', 'µs a row'],
    ...done.map(({ rows, files, workers, seconds, total }) => [
      rows,
      files,
      workers,
      Math.round(rows / seconds),
      Math.round(total),
    ]),
  ])
}
