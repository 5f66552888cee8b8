import { parseArgs } from 'node:util'
import { freePort, makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { startBenchInstance } from '../environment/instance.ts'
import { openLoad } from '../environment/load.ts'
import { printTable, rounded } from '../report/print-table.ts'
import { send } from './clients.ts'
import { ABUSE_EXPERIMENTS, type AbuseTarget, LARGE_PATH, type Limit } from './experiments.ts'

const WARM_UP_RATE = 50
const WARM_UP_S = 6

/**
 * The impact of one attacking client on other clients of the API process. All experiments run against the same
 * instance, one after the other, and each of their figures is compared with a limit. Run it alone on the machine: some
 * limits are times. `--only NAME` runs one experiment.
 */
export async function benchAbuse(args: string[]): Promise<object> {
  const { values } = parseArgs({ args, options: { only: { type: 'string' } } })
  const chosen = ABUSE_EXPERIMENTS.filter(({ name }) => values.only === undefined || name === values.only)
  if (chosen.length === 0) throw new Error(`no experiment is called ${values.only}`)
  await using cleanUp = new AsyncDisposableStack()
  const uploads = makeFolder('probity-bench')
  cleanUp.defer(() => removeFolder(uploads))
  const metricsPort = await freePort()
  const product = await startBenchInstance(undefined, { METRICS_PORT: String(metricsPort), UPLOADS_FOLDER: uploads })
  cleanUp.defer(() => product.stop())
  const load = openLoad(product, cleanUp)
  await load(WARM_UP_RATE, WARM_UP_S) // does not count: it fills caches and compiles code
  await send(`${product.url}${LARGE_PATH}`) // built at its first request
  await product.analyze()
  const target: AbuseTarget = { ...product, load, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` }

  const figures: Record<string, number> = {}
  const rows: string[][] = []
  const failed: string[] = []
  for (const { name, says, limits, run } of chosen) {
    process.stderr.write(`${name}: ${says}\n`)
    await using experiment = new AsyncDisposableStack()
    const measured = await run(target, experiment)
    for (const [field, limit] of Object.entries(limits)) {
      const value = measured[field] ?? Number.NaN
      figures[field] = rounded(value)
      if (!isWithin(value, limit)) failed.push(field)
      rows.push([name, field, String(rounded(value)), sayLimit(limit), isWithin(value, limit) ? 'pass' : 'FAIL'])
    }
  }
  printTable('Abuse', [['experiment', 'figure', 'measured', 'limit', 'result'], ...rows])
  return { ...figures, failed }
}

function isWithin(value: number, limit: Limit): boolean {
  return 'atMost' in limit ? value <= limit.atMost : value >= limit.atLeast
}

function sayLimit(limit: Limit): string {
  return 'atMost' in limit ? `≤ ${limit.atMost}` : `≥ ${limit.atLeast}`
}
