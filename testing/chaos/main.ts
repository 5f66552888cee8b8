import { parseArgs } from 'node:util'
import { keepFigures } from '@probity/benchmarks/report/table'
import { compareRuns } from './compare-runs.ts'
import type { Persistence } from './redis.ts'
import { tryMutants } from './try-mutants.ts'

/**
 * `pnpm chaos --rows 100000 --seed 1 --redis aof|noaof` validates a list twice, without faults and while processes are
 * killed, and compares the results. `--mutant NAME|all` does so with a deliberately broken product and expects a
 * failure. Prints figures as JSON in the last line of standard output; exits with 0 if there was no violation.
 */
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    redis: { type: 'string', default: 'noaof' },
    mutant: { type: 'string' },
    // In seconds. Longer than the heartbeat timeout after which other workers claim a batch.
    patience: { type: 'string', default: '240' },
    // Runs both at the same time. For a small list, which waits more than it computes.
    concurrent: { type: 'boolean', default: false },
    // Leaves out the rerun of unknown rows, which takes about 40 s.
    'no-rerun': { type: 'boolean', default: false },
    // The folder for the logs of the processes.
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
  hasRerun: !values['no-rerun'],
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
