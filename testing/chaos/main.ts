import { parseArgs } from 'node:util'
import { keepFigures } from '@probity/benchmarks/report/table'
import { compareRuns } from './compare-runs.ts'
import type { Persistence } from './redis.ts'
import { tryMutants } from './try-mutants.ts'

/**
 * `pnpm chaos --rows 100000 --seed 1 --redis aof|noaof` has a list validated twice, in peace and while everything is killed, and
 * holds one against the other. `--mutant NAME|all` does so with a product that was broken on purpose, and wants to see it fail.
 * Prints figures as JSON, the last line of standard output; ends with 0 when every promise was kept.
 */
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    redis: { type: 'string', default: 'noaof' },
    mutant: { type: 'string' },
    // In seconds. Longer than a batch is held at most by a worker that lives.
    patience: { type: 'string', default: '240' },
    // Runs both at the same time. For a small list, which waits more than it computes.
    concurrent: { type: 'boolean', default: false },
    // Where the logs of the product stay.
    logs: { type: 'string' },
    // Writes the figures to docs/benchmarks.md.
    keep: { type: 'boolean', default: false },
  },
})
if (values.redis !== 'aof' && values.redis !== 'noaof') throw new Error('--redis is aof or noaof')
const redis: Persistence = values.redis
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort())

const task = {
  rows: Number(values.rows),
  seed: Number(values.seed),
  redis,
  logFolder: values.logs,
  patienceMs: Number(values.patience) * 1_000,
  isConcurrent: values.concurrent,
  signal: stop.signal,
}
try {
  const { isGood, figures } =
    values.mutant === undefined ? await compareRuns(task) : await tryMutants(values.mutant, task)
  if (values.keep) keepFigures('chaos', ['--rows', values.rows, '--seed', values.seed], figures)
  process.stdout.write(`${JSON.stringify(figures)}\n`)
  process.exitCode = isGood ? 0 : 1
} catch (error) {
  if (!stop.signal.aborted) throw error
  process.exitCode = 130
}
