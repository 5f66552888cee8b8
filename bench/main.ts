import { benchAccuracy } from './accuracy.ts'
import { benchConfidence } from './confidence.ts'
import { benchExport } from './export-safety.ts'
import { benchFairness } from './fairness.ts'
import { benchList } from './list.ts'
import { benchOverload } from './overload.ts'
import { benchProbe } from './probe.ts'
import { benchPurge } from './purge.ts'
import { benchScale } from './scale.ts'
import { benchSingle } from './single.ts'
import { keepFigures } from './table.ts'

/** Each bench prints what it does on standard error and its figures as JSON, the last line of standard output. */
const BENCHES: Record<string, (args: string[]) => Promise<object>> = {
  accuracy: benchAccuracy,
  confidence: benchConfidence,
  list: benchList,
  export: benchExport,
  fairness: benchFairness,
  overload: benchOverload,
  probe: benchProbe,
  purge: benchPurge,
  scale: benchScale,
  single: benchSingle,
}

const [name = '', ...rest] = process.argv.slice(2)
const args = rest.filter((argument) => argument !== '--keep')
const bench = BENCHES[name]
if (bench) {
  const figures = await bench(args)
  if (rest.includes('--keep')) keepFigures(name, args, figures)
  process.stdout.write(`${JSON.stringify(figures)}\n`)
} else {
  process.stderr.write(
    `Usage: pnpm bench NAME [--keep], where NAME is one of: ${Object.keys(BENCHES).join(', ')}\n--keep writes the figures to docs/benchmarks.md.\n`,
  )
  process.exitCode = 1
}
