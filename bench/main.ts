import { benchAccuracy } from './accuracy.ts'
import { benchConfidence } from './confidence.ts'
import { benchExport } from './export-safety.ts'
import { benchFairness } from './fairness.ts'
import { benchList } from './list.ts'
import { benchProbe } from './probe.ts'
import { benchSingle } from './single.ts'

/** Each bench prints what it does on standard error and its figures as JSON, the last line of standard output. */
const BENCHES: Record<string, (args: string[]) => Promise<object>> = {
  accuracy: benchAccuracy,
  confidence: benchConfidence,
  list: benchList,
  export: benchExport,
  fairness: benchFairness,
  probe: benchProbe,
  single: benchSingle,
}

const [name = '', ...args] = process.argv.slice(2)
const bench = BENCHES[name]
if (bench) {
  process.stdout.write(`${JSON.stringify(await bench(args))}\n`)
} else {
  process.stderr.write(`Usage: pnpm bench NAME, where NAME is one of: ${Object.keys(BENCHES).join(', ')}\n`)
  process.exitCode = 1
}
