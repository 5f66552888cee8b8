import { resolve } from 'node:path'
import type { Probity } from '@probity/sdk'
import { type Command, Option } from 'commander'
import { CliError } from '../cli-error.ts'
import { formatPrice, presentPrice } from '../confirm.ts'
import type { Row } from '../jobs/filter-rows.ts'
import { openSource, priceFile, type StartFlags, startJob } from '../jobs/start.ts'
import { checkCompleted, tallyOf, watchJob } from '../jobs/watch.ts'
import { formatCount } from '../output/format.ts'
import { createAction, openClient, type Run, type Stage } from '../run.ts'
import {
  addCostOptions,
  addExamples,
  addFailOn,
  addOutputOptions,
  addStartOptions,
  checkFailOn,
  checkFailOnNames,
  type FailOn,
  PRESET_CHOICES,
  type PresetChoice,
  readPreset,
} from './options.ts'

type Flags = StartFlags & {
  output?: string
  preset: PresetChoice
  formulaSafe: boolean
  dryRun?: boolean
  failOn?: FailOn[]
}

export function addClean(program: Command, stage: Stage): void {
  const command = program
    .command('clean')
    .description('Validate a CSV file as a job, wait for it, and write the rows that a preset keeps.')
    .argument('<file>', 'CSV file; - for standard input')
    .addOption(new Option('--preset <name>', 'rows to keep').choices(PRESET_CHOICES).default('balanced'))
    .option('--no-formula-safe', "do not add a ' to cells that a spreadsheet would run as formulas")
  addOutputOptions(addFailOn(addCostOptions(addStartOptions(command))), 'csv').action(createAction(stage, clean))
  addExamples(command, [
    ['probity clean list.csv -o clean.csv', 'Confirm the cost, then write the rows that are safe to send to.'],
    ['probity clean list.csv -o clean.csv --preset strict --yes', 'Keep the safest rows, without a confirmation.'],
    ["probity clean list.csv -o clean.csv --max-credits 5000 --fail-on 'invalid>2%'", 'Use it in a script.'],
  ])
}

async function clean(run: Run, flags: Flags, file: string): Promise<void> {
  await checkFailOnNames(flags.failOn)
  if (flags.output !== undefined && flags.output !== '-' && resolve(flags.output) === resolve(file)) {
    throw new CliError('usage', 'The output file is the input file. Choose another name.')
  }
  const source = await openSource(run, file)
  const client = await openClient(run)
  if (flags.dryRun) {
    const { price } = await priceFile(run, client, source, flags)
    return run.output.writeOne(presentPrice(price), () => formatPrice(price))
  }
  const id = await startJob(run, client, source, flags)
  run.terminal.note(`Job ${id}`)
  const job = await watchJob(run, client, id)
  checkCompleted(job)
  await writeRows(run, client, id, flags)
  checkFailOn(flags.failOn, tallyOf(job))
}

async function writeRows(run: Run, client: Probity, id: string, { formulaSafe, preset }: Flags): Promise<void> {
  const { output, terminal, signal } = run
  const { filterRows } = await import('../jobs/filter-rows.ts')
  const csv = await client.jobs.results.download(id, { format: 'csv', formulaSafe, signal })
  const counts = { kept: 0, dropped: 0 }
  const rows = filterRows(csv, readPreset(preset), counts)
  if (output.format === 'csv') await output.writeChunks(linesOf(rows))
  else {
    const { header, records } = await readRecords(rows)
    const columns = header.map((head) => ({ head, cell: (record: Record<string, string>) => record[head] ?? '' }))
    await output.writeAll(records, { columns })
  }
  const { kept, dropped } = counts
  terminal.note(`${formatCount(kept)} of ${formatCount(kept + dropped)} rows kept (${preset}).`)
}

async function* linesOf(rows: AsyncIterable<Row>) {
  for await (const { line } of rows) yield line
}

/** The rows as objects by header; a repeated header has the value of its last column. */
async function readRecords(rows: AsyncGenerator<Row, void, undefined>) {
  const first = await rows.next()
  const header = first.done ? [] : first.value.cells
  const recordOf = ({ cells }: Row) => Object.fromEntries(header.map((name, n) => [name, cells[n] ?? '']))
  const records = async function* () {
    for await (const row of rows) yield recordOf(row)
  }
  return { header, records: records() }
}
