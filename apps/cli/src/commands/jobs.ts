import { describeCharge, describeLines } from '@probity/contract/constants/texts/jobs'
import type { BulkJob, JobResult } from '@probity/sdk'
import { type Command, Option } from 'commander'
import { CliError } from '../cli-error.ts'
import { type ConfirmFlags, confirmAction, formatPrice, presentPrice } from '../confirm.ts'
import { openSource, previewFile, priceOf, type StartFlags, startJob } from '../jobs/start.ts'
import { checkCompleted, formatCounts, tallyOf, watchJob, writeStarted } from '../jobs/watch.ts'
import { formatCount, formatPairs, formatShare } from '../output/format.ts'
import { limitItems, SHEET_FORMATS, type View } from '../output/output.ts'
import { openResultView } from '../output/results.ts'
import { createAction, openClient, type Run, type Stage } from '../run.ts'
import { addFinished } from './finished-jobs.ts'
import {
  addCostOptions,
  addExamples,
  addFailOn,
  addOutputOptions,
  addReadOptions,
  addSheetOptions,
  addStartOptions,
  addYes,
  checkFailOn,
  checkFailOnNames,
  checkWorkbook,
  type FailOn,
  formatTime,
  PRESET_CHOICES,
  type PresetChoice,
  readCount,
  readNames,
  readPreset,
  type SheetFlags,
  sheetFormOf,
} from './options.ts'

export function addJobs(program: Command, stage: Stage): void {
  const jobs = program
    .command('jobs')
    .description('Validate CSV and XLSX files in the background. Scopes: jobs:read, and jobs:write for changes.')
  addExamples(jobs, [
    ['probity jobs create list.csv --watch', 'Confirm the cost, start a job and wait for it.'],
    ['probity jobs results ID -o results.csv', 'Write the file with the result columns.'],
  ])
  addRead(jobs, stage)
  addCreate(jobs, stage)
  addJobResults(jobs, stage)
  addUpdate(jobs, stage)
  addFinished(jobs, stage)
  addChange(jobs, stage)
}

function addRead(jobs: Command, stage: Stage): void {
  const list = jobs
    .command('list')
    .description('List jobs, newest first.')
    .option('--status <names>', 'only jobs with these statuses, such as queued,processing', readNames)
    .option('--tag <tag>', 'only jobs with this tag')
    .option('--limit <n>', 'maximum number of jobs', readCount, 20)
    .action(createAction(stage, listJobs))
  addExamples(list, [['probity jobs list --status processing', 'List jobs in progress.']])
  const view = jobs.command('view').description('Show a job.').argument('<id>', 'job id')
  view.action(
    createAction(stage, async (run, _flags, id: string) => {
      const client = await openClient(run)
      await writeJob(run, await client.jobs.get(id, { signal: run.signal }))
    }),
  )
  addExamples(view, [['probity jobs view ID --json', 'Print all fields of a job.']])
  const watch = jobs
    .command('watch')
    .description('Show the progress of a job until it ends. Ctrl-C ends the command; the job continues.')
    .argument('<id>', 'job id')
  addFailOn(watch).action(createAction(stage, watchUntilEnd))
  addExamples(watch, [["probity jobs watch ID --fail-on 'invalid>5%'", 'Exit with 8 if a list is bad.']])
}

type ListFlags = { limit: number; status?: string[]; tag?: string }

async function listJobs(run: Run, { limit, status, tag }: ListFlags): Promise<void> {
  const client = await openClient(run)
  await run.output.writeAll(limitItems(client.jobs.list({ status, tag, signal: run.signal }), limit), JOBS_VIEW)
}

const JOBS_VIEW: View<BulkJob> = {
  columns: [
    { head: 'id', cell: ({ id }) => id },
    { head: 'status', cell: ({ status }) => status },
    { head: 'done', cell: (job) => `${formatCount(job.done_count)}/${formatCount(job.unique_count)}` },
    { head: 'created (UTC)', cell: ({ created_at }) => formatTime(created_at) },
    { head: 'name', cell: ({ name }) => name },
    { head: 'tags', cell: ({ tags }) => tags.join(', ') },
  ],
}

async function watchUntilEnd(run: Run, flags: { failOn?: FailOn[] }, id: string): Promise<void> {
  await checkFailOnNames(flags.failOn)
  const job = await watchJob(run, await openClient(run), id)
  await writeJob(run, job)
  checkCompleted(job)
  checkFailOn(flags.failOn, tallyOf(job))
}

async function writeJob({ output }: Run, job: BulkJob): Promise<void> {
  await output.writeOne(job, formatJob)
}

function formatJob(job: BulkJob): string {
  return formatPairs([
    ['id', job.id],
    ['name', job.name],
    ...(job.tags.length > 0 ? ([['tags', job.tags.join(', ')]] as [string, string][]) : []),
    ['file', `${job.filename}, column ${job.email_column}`],
    ['lines', describeLines(job)],
    ['status', job.status],
    ['done', `${formatCount(job.done_count)} of ${formatCount(job.unique_count)} (${formatShare(job.progress)})`],
    ['results', formatCounts(job)],
    ['cost', formatCost(job)],
  ])
}

function formatCost({ credits, livemode }: BulkJob): string {
  if (!livemode) return 'free in test mode'
  const reserved = credits.reserved === 0 ? '' : `; ${formatCount(credits.reserved)} reserved`
  return `${describeCharge(credits)}${reserved}`
}

function addCreate(jobs: Command, stage: Stage): void {
  const create = jobs
    .command('create')
    .description('Upload a CSV or XLSX file, confirm the cost and start a job. A table contains its id only.')
    .argument('<file>', 'CSV or XLSX file; - for standard input')
    .option('--watch', 'show the progress until the job ends')
  addCostOptions(addStartOptions(create)).action(createAction(stage, createJob))
  addExamples(create, [
    ['probity jobs create list.csv', 'Confirm the cost and start a job.'],
    ['id=$(probity jobs create list.csv --max-credits 5000)', 'Start a job in a script.'],
  ])
  const estimate = jobs
    .command('estimate')
    .description('Upload a CSV or XLSX file and print the cost of a job. Nothing is charged.')
    .argument('<file>', 'CSV or XLSX file; - for standard input')
  addReadOptions(estimate).action(createAction(stage, estimateJob))
  addExamples(estimate, [['probity jobs estimate list.csv', 'Print rows, unique addresses and credits.']])
}

type CreateFlags = StartFlags & { watch?: boolean; dryRun?: boolean }

async function createJob(run: Run, flags: CreateFlags, file: string): Promise<void> {
  if (flags.dryRun) return estimateJob(run, flags, file)
  const source = await openSource(run, file)
  const client = await openClient(run)
  await writeStarted(run, client, { id: await startJob(run, client, source, flags), watch: flags.watch })
}

async function estimateJob(run: Run, flags: StartFlags, file: string): Promise<void> {
  const source = await openSource(run, file)
  const preview = await previewFile(run, await openClient(run), source, flags)
  const { email_column: column } = preview
  const price = priceOf(preview)
  const format = () => formatPairs([['column', column]]) + formatPrice(price)
  await run.output.writeOne({ column, ...presentPrice(price) }, format)
}

type UpdateFlags = { name?: string; tags?: string[] }

function addUpdate(jobs: Command, stage: Stage): void {
  const update = jobs
    .command('update')
    .description('Change the name and the tags of a job.')
    .argument('<id>', 'job id')
    .option('--name <name>', 'new name')
    .option(
      '--tags <names>',
      'tags, separated by commas, which replace the earlier ones; none to remove them',
      readTags,
    )
  update.action(
    createAction(stage, async (run, { name, tags }: UpdateFlags, id: string) => {
      if (name === undefined && tags === undefined) {
        throw new CliError('usage', 'Nothing to change: pass --name or --tags.', 'probity jobs update --help')
      }
      await writeJob(run, await (await openClient(run)).jobs.update(id, { name, tags }))
    }),
  )
  addExamples(update, [
    ["probity jobs update ID --name 'Customers, May' --tags customers,2027", 'Rename and tag a job.'],
  ])
}

function readTags(text: string): string[] {
  return text === 'none' ? [] : readNames(text)
}

function addChange(jobs: Command, stage: Stage): void {
  for (const verb of ['pause', 'resume'] as const) {
    const effect = verb === 'pause' ? 'Pause a job. Validations in progress are finished.' : 'Resume a paused job.'
    const command = jobs.command(verb).description(effect).argument('<id>', 'job id')
    command.action(
      createAction(stage, async (run, _flags, id: string) =>
        writeJob(run, await (await openClient(run)).jobs[verb](id)),
      ),
    )
    addExamples(command, [[`probity jobs ${verb} ID`, effect]])
  }
  const cancel = jobs
    .command('cancel')
    .description('Cancel a job. Its results so far are kept and unused credits are released.')
    .argument('<id>', 'job id')
  addYes(cancel).action(createAction(stage, cancelJob))
  addExamples(cancel, [['probity jobs cancel ID --yes', 'Cancel a job without a confirmation.']])
  const remove = jobs
    .command('delete')
    .description('Delete a job that has ended, with its file and results.')
    .argument('<id>', 'job id')
  addYes(remove).action(createAction(stage, deleteJob))
  addExamples(remove, [['probity jobs delete ID', 'Delete a job after a confirmation.']])
}

async function cancelJob(run: Run, flags: ConfirmFlags, id: string): Promise<void> {
  const client = await openClient(run)
  const { filename } = await client.jobs.get(id, { signal: run.signal })
  await confirmAction(run, flags, `Job ${id} (${filename}) will be canceled and cannot be resumed.`)
  await writeJob(run, await client.jobs.cancel(id))
}

async function deleteJob(run: Run, flags: ConfirmFlags, id: string): Promise<void> {
  const client = await openClient(run)
  const { filename } = await client.jobs.get(id, { signal: run.signal })
  await confirmAction(run, flags, `Job ${id} (${filename}) and its results will be deleted.`)
  await client.jobs.delete(id)
  await run.output.writeOne({ id, deleted: true }, () => `Deleted job ${id}\n`)
}

type ResultFlags = SheetFlags & {
  output?: string
  status?: string[]
  preset?: PresetChoice
  part?: 'keep' | 'remove' | 'left_out'
  policy?: string
  evidence?: boolean
}

function addJobResults(jobs: Command, stage: Stage): void {
  const command = jobs
    .command('results')
    .description(
      'Print the results of a job; of a job in progress, those so far. CSV and XLSX are your file with result columns.',
    )
    .argument('<id>', 'job id')
    .option('--status <names>', 'only results with these statuses, such as valid,risky', readNames)
    .addOption(new Option('--preset <name>', 'only results that this preset keeps').choices(PRESET_CHOICES))
    .addOption(
      new Option('--part <part>', 'part of the preset, or the rows that were not validated').choices([
        'keep',
        'remove',
        'left_out',
      ]),
    )
    .option('--policy <name>', 'add the decision of this policy: allow, review or block')
    .option('--evidence', 'add the evidence of each result')
  addOutputOptions(addSheetOptions(command), 'csv', SHEET_FORMATS).action(createAction(stage, writeResults))
  addExamples(command, [
    ['probity jobs results ID -o results.csv', 'Write your file with the result columns.'],
    ['probity jobs results ID --policy newsletter -o results.csv', 'Add a decision for each address.'],
    ['probity jobs results ID --preset balanced --unique --own-columns -o keep.csv', 'Write a file for an import.'],
    ['probity jobs results ID --format xlsx -o results.xlsx', 'Write it as an Excel workbook.'],
    ['probity jobs results ID --part left_out -o left-out.csv', 'Write the rows that were not validated.'],
    ['probity jobs results ID --format jsonl --status valid', 'Print one JSON object per valid address.'],
  ])
}

async function writeResults(run: Run, flags: ResultFlags, id: string): Promise<void> {
  await checkStatuses(flags.status)
  checkWorkbook(run, flags.output)
  const client = await openClient(run)
  const { status, policy, evidence, part } = flags
  const preset = flags.preset && readPreset(flags.preset)
  const options = { status, preset, policy, evidence, signal: run.signal }
  const { format } = run.output
  if (format === 'csv' || format === 'xlsx') {
    return run.output.writeChunks(
      download(() => client.jobs.results.download(id, { ...options, part, format, ...sheetFormOf(flags) })),
    )
  }
  if (part === 'left_out') throw new CliError('usage', '--part left_out needs --format csv or xlsx.')
  const view = await openResultView(flags)
  await run.output.writeAll<JobResult>(client.jobs.results.list(id, { ...options, part }), view)
}

async function* download(start: () => Promise<AsyncIterable<Uint8Array>>) {
  yield* await start()
}

async function checkStatuses(statuses: string[] | undefined): Promise<void> {
  const { STATUSES } = await import('@probity/contract/constants/validations')
  const wrong = statuses?.find((status) => !Object.hasOwn(STATUSES, status))
  if (wrong === undefined) return
  throw new CliError('usage', `${wrong} is not a status. Statuses are ${Object.keys(STATUSES).join(', ')}.`)
}
