import { benchAbuse } from './abuse/run.ts'
import { benchAccuracy } from './accuracy/run.ts'
import { runCompare } from './compare/run.ts'
import { benchConfidence } from './confidence/run.ts'
import { benchExport } from './export/run.ts'
import { benchFairness } from './fairness/run.ts'
import { benchList } from './list/run.ts'
import { benchOverload } from './overload/run.ts'
import { benchProbe } from './probe/run.ts'
import { benchPurge } from './purge/run.ts'
import { type BenchMode, PRODUCT_ONLY_NAMES } from './report/product-only.ts'
import { keepFigures } from './report/table.ts'
import { benchScale } from './scale/run.ts'
import { benchSingle } from './single/run.ts'

/** Each benchmark writes progress to standard error and its figures as JSON in the last line of standard output. */
const BENCHES: Record<string, (args: string[], mode: BenchMode) => Promise<object>> = {
  abuse: benchAbuse,
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

const USAGE = `Usage: pnpm bench NAME [--keep | --product-only], where NAME is one of: ${Object.keys(BENCHES).join(', ')}
       pnpm bench compare NAME --base COMMIT [--pairs 5] [--field FIELD]...
--keep writes the figures to docs/benchmarks.md.
--product-only measures only the product's own rates and costs, in about 40 s. NAME is one of: ${PRODUCT_ONLY_NAMES.join(', ')}
compare repeats such runs in the work tree and in a commit. Exit code 1: a rate or a cost is worse by more than 10 %.
`

const OPTIONS = ['--keep', '--product-only']

async function runBench(name: string, rest: string[]): Promise<void> {
  const bench = BENCHES[name]
  const isProductOnly = rest.includes('--product-only')
  const isKept = rest.includes('--keep')
  if (!bench || (isProductOnly && (isKept || !PRODUCT_ONLY_NAMES.includes(name)))) {
    process.stderr.write(USAGE)
    process.exitCode = 1
    return
  }
  const args = rest.filter((argument) => !OPTIONS.includes(argument))
  const figures = await bench(args, { isProductOnly })
  if (isKept) keepFigures(name, args, figures)
  // abuse lists the figures beyond their limits
  if ('failed' in figures && Array.isArray(figures.failed) && figures.failed.length > 0) process.exitCode = 1
  process.stdout.write(`${JSON.stringify(isProductOnly ? { ...figures, product_only: true } : figures)}\n`)
}

const [name = '', ...rest] = process.argv.slice(2)
if (name === 'compare') process.exitCode = await runCompare(rest)
else await runBench(name, rest)
