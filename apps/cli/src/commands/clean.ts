import { resolve } from 'node:path'
import { describeCharge, describeLines } from '@probity/contract/constants/texts/jobs'
import type { BulkJob, Probity } from '@probity/sdk'
import { type Command, Option } from 'commander'
import { CliError } from '../cli-error.ts'
import { formatPrice, presentPrice } from '../confirm.ts'
import type { Row } from '../jobs/filter-rows.ts'
import { openSource, previewFile, priceOf, type StartFlags, startJob } from '../jobs/start.ts'
import { checkCompleted, tallyOf, watchJob } from '../jobs/watch.ts'
import { countOf, formatCount } from '../output/format.ts'
import { SHEET_FORMATS } from '../output/output.ts'
import { createAction, openClient, type Run, type Stage } from '../run.ts'
import { checkWritable, writeFileAtomically } from '../write-file.ts'
import {
  addCostOptions,
  addExamples,
  addFailOn,
  addOutputOptions,
  addSheetOptions,
  addStartOptions,
  checkFailOn,
  checkFailOnNames,
  checkWorkbook,
  type FailOn,
  PRESET_CHOICES,
  type PresetChoice,
  readPreset,
  type SheetFlags,
  sheetFormOf,
} from './options.ts'

type Flags = StartFlags &
  SheetFlags & {
    output?: string
    leftOut?: string
    preset: PresetChoice
    dryRun?: boolean
    failOn?: FailOn[]
  }

export function addClean(program: Command, stage: Stage): void {
  const command = program
    .command('clean')
    .description('Validate a CSV or XLSX file as a job, wait for it, and write the rows that a preset keeps.')
    .argument('<file>', 'CSV or XLSX file; - for standard input')
    .addOption(new Option('--preset <name>', 'rows to keep').choices(PRESET_CHOICES).default('balanced'))
  command.option('--left-out <file>', 'write the rows that were not validated to this file, with the reasons')
  addSheetOptions(addFailOn(addCostOptions(addStartOptions(command))))
  addOutputOptions(command, 'csv', SHEET_FORMATS).action(createAction(stage, clean))
  addExamples(command, [
    ['probity clean list.csv -o clean.csv', 'Confirm the cost, then write the rows that are safe to send to.'],
    ['probity clean list.csv -o clean.csv --preset strict --yes', 'Keep the safest rows, without a confirmation.'],
    ["probity clean list.csv -o clean.csv --max-credits 5000 --fail-on 'invalid>2%'", 'Use it in a script.'],
  ])
}

async function clean(run: Run, flags: Flags, file: string): Promise<void> {
  await checkFailOnNames(flags.failOn)
  await checkFiles(flags, file)
  const { format } = run.output
  if (flags.ownColumns && format !== 'csv' && format !== 'xlsx') {
    throw new CliError('usage', '--own-columns needs --format csv or xlsx.')
  }
  checkWorkbook(run, flags.output)
  const source = await openSource(run, file)
  const client = await openClient(run)
  if (flags.dryRun) {
    const price = priceOf(await previewFile(run, client, source, flags))
    return run.output.writeOne(presentPrice(price), () => formatPrice(price))
  }
  const id = await startJob(run, client, source, flags)
  run.terminal.note(`Job ${id}`)
  const job = await watchJob(run, client, id)
  checkCompleted(job)
  run.terminal.note(`${describeLines(job)}.`)
  await writeRows(run, client, id, flags)
  await writeLeftOut(run, client, job, flags)
  if (job.livemode) run.terminal.note(`Cost of the job: ${describeCharge(job.credits)}.`)
  checkFailOn(flags.failOn, tallyOf(job))
}

/** Before anything is charged. */
async function checkFiles({ output, leftOut }: Flags, input: string): Promise<void> {
  const paths = [input, output, leftOut].flatMap((name) => (name === undefined || name === '-' ? [] : resolve(name)))
  if (new Set(paths).size < paths.length) {
    throw new CliError('usage', 'The input file and the output files need different names.')
  }
  if (leftOut === '-') throw new CliError('usage', '--left-out needs the name of a file.')
  if (leftOut !== undefined) await checkWritable(leftOut)
}

/** The rows without a result, or a hint how to write them. */
async function writeLeftOut(run: Run, client: Probity, job: BulkJob, flags: Flags): Promise<void> {
  const { output, terminal, signal } = run
  const { empty_count: empty, not_address_count: texts, left_out_count: leftOut } = job
  const notice = `${countOf(empty + texts + leftOut, 'row or address', 'rows or addresses')} not validated`
  const name = flags.leftOut
  if (name === undefined) {
    const next = `probity jobs results ${job.id} --part left_out -o left-out.csv`
    if (empty + texts + leftOut > 0) terminal.note(`${notice}. To write them with the reasons: ${next}`)
    return
  }
  const format = output.format === 'xlsx' ? 'xlsx' : 'csv'
  const { bom, keepBom, formulaSafe } = sheetFormOf(flags)
  const form = { format, part: 'left_out', bom, keepBom, formulaSafe, signal } as const
  await writeFileAtomically(name, await client.jobs.results.download(job.id, form))
  terminal.note(`${notice}: see ${name}.`)
}

async function writeRows(run: Run, client: Probity, id: string, flags: Flags): Promise<void> {
  const { output, terminal, signal } = run
  const { preset } = flags
  if (flags.ownColumns || output.format === 'xlsx') return writeSelected(run, client, id, flags)
  const { filterRows } = await import('../jobs/filter-rows.ts')
  const csv = await client.jobs.results.download(id, { format: 'csv', ...sheetFormOf(flags), signal })
  const counts = { kept: 0, dropped: 0 }
  const beginning = { mark: '' }
  const rows = filterRows(noteMark(csv, beginning), readPreset(preset), counts)
  if (output.format === 'csv') await output.writeChunks(linesOf(rows, beginning))
  else {
    const { header, records } = await readRecords(rows)
    const columns = header.map((head) => ({ head, cell: (record: Record<string, string>) => record[head] ?? '' }))
    await output.writeAll(records, { columns })
  }
  const { kept, dropped } = counts
  terminal.note(`${formatCount(kept)} of ${formatCount(kept + dropped)} rows kept (${preset}).`)
}

/** Rows that the service selects: without its columns, or in a workbook, they cannot be selected here. */
async function writeSelected(run: Run, client: Probity, id: string, flags: Flags): Promise<void> {
  const preset = readPreset(flags.preset)
  const { keep_plans: plans } = await client.jobs.breakdown(id, { signal: run.signal })
  const form = { ...sheetFormOf(flags), preset, signal: run.signal }
  const format = run.output.format === 'xlsx' ? 'xlsx' : 'csv'
  await run.output.writeChunks(await client.jobs.results.download(id, { format, ...form }))
  const plan = plans.find((one) => one.preset === preset)
  if (plan === undefined) return
  const all = plan.keep_count + plan.remove_count
  run.terminal.note(`${formatCount(plan.keep_count)} of ${formatCount(all)} addresses kept (${flags.preset}).`)
}

/** The parser drops a byte order mark. */
async function* noteMark(csv: AsyncIterable<Uint8Array>, beginning: { mark: string }) {
  let isFirst = true
  for await (const chunk of csv) {
    if (isFirst && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf) beginning.mark = '\uFEFF'
    isFirst = false
    yield chunk
  }
}

async function* linesOf(rows: AsyncIterable<Row>, beginning: { mark: string }) {
  for await (const { line } of rows) {
    yield beginning.mark + line
    beginning.mark = ''
  }
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
