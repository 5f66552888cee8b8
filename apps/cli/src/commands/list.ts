import type { BulkJob } from '@probity/sdk'
import type { Command } from 'commander'
import { writePrice } from '../consent.ts'
import { type FailOn, refuseMatched, refuseUnknownNames } from '../fail-on.ts'
import { countsOf, followList, refuseUnfinished, tallyOf } from '../lists/follow.ts'
import { openSource } from '../lists/source.ts'
import { priceFile, type StartFlags, startList } from '../lists/start.ts'
import { formatCount, formatShare } from '../output/numbers.ts'
import { formatPairs, formatTable } from '../output/table.ts'
import { act, openClient, type Run, type Stage } from '../run.ts'
import { addResults } from './list-results.ts'
import { addConsent, addExamples, addFailOn, addStart, outputOption, readCount } from './options.ts'

const FORMATS = ['table', 'json'] as const
type Output = { output: (typeof FORMATS)[number] }

export function addList(program: Command, stage: Stage): void {
  const list = program.command('list').description('Lists: files of addresses that the service works through.')
  addExamples(list, [
    ['probity list estimate list.csv', 'What would it cost? Nothing is spent.'],
    ['probity list create list.csv', 'Begin, and come back later.'],
    ['probity list results ID -o jsonl --status valid,risky', 'What came out.'],
  ])
  addCreate(list, stage)
  addLook(list, stage)
  addResults(list, stage)
}

function addCreate(list: Command, stage: Stage): void {
  const create = list
    .command('create')
    .description('Upload a CSV, say what it costs, ask, and begin. Prints the id of the list.')
    .argument('<file>', 'the CSV; - for standard input')
    .addOption(outputOption(FORMATS, 'table'))
    .option('--watch', 'look on until the list has ended')
  addConsent(addStart(create)).action(act(stage, createList))
  list
    .command('estimate')
    .description('Upload a CSV and say what it would cost. Nothing is spent.')
    .argument('<file>', 'the CSV; - for standard input')
    .option('--column <name>', 'the column with the addresses; else the one that looks most like it')
    .addOption(outputOption(FORMATS, 'table'))
    .action(act(stage, estimateList))
}

type CreateFlags = StartFlags & Output & { watch?: boolean; dryRun?: boolean }

async function createList(run: Run, flags: CreateFlags, file: string): Promise<void> {
  if (flags.dryRun) return estimateList(run, flags, file)
  const source = await openSource(run, file)
  const client = await openClient(run)
  const id = await startList(run, client, source, flags)
  if (flags.watch) await followList(run, client, id)
  // By itself, so that a script can take it as it is.
  if (flags.output === 'table') return run.terminal.print(`${id}\n`)
  await showJob(run, flags, await client.jobs.get(id))
}

async function estimateList(run: Run, flags: StartFlags & Output, file: string): Promise<void> {
  const source = await openSource(run, file)
  const { upload, price } = await priceFile(run, await openClient(run), source, flags)
  const { rows, unique = null, credits, isAtMost = false, available = null, unlimited } = price
  const estimate = { column: upload.column, rows, unique, credits, at_most: isAtMost, available, unlimited }
  if (flags.output === 'json') return run.terminal.print(`${JSON.stringify(estimate, null, 2)}\n`)
  await run.terminal.print(formatPairs([['column', upload.column]]) + writePrice(price))
}

function addLook(list: Command, stage: Stage): void {
  list
    .command('status')
    .description('How a list stands.')
    .argument('<id>', 'the list')
    .addOption(outputOption(FORMATS, 'table'))
    .action(
      act(stage, async (run, flags: Output, id: string) =>
        showJob(run, flags, await (await openClient(run)).jobs.get(id)),
      ),
    )
  const watch = list
    .command('watch')
    .description('Look on until a list has ended. Ctrl-C ends the looking on, not the list.')
    .argument('<id>', 'the list')
    .addOption(outputOption(FORMATS, 'table'))
  addFailOn(watch).action(act(stage, watchList))
  list
    .command('cancel')
    .description('End a list. Its results so far are kept, and its unused credits given back.')
    .argument('<id>', 'the list')
    .addOption(outputOption(FORMATS, 'table'))
    .action(
      act(stage, async (run, flags: Output, id: string) =>
        showJob(run, flags, await (await openClient(run)).jobs.cancel(id)),
      ),
    )
  list
    .command('ls')
    .description('Lists, the newest first.')
    .option('--limit <n>', 'how many at most', readCount, 20)
    .addOption(outputOption([...FORMATS, 'jsonl'], 'table'))
    .action(act(stage, showJobs))
}

async function watchList(run: Run, flags: Output & { failOn?: FailOn[] }, id: string): Promise<void> {
  await refuseUnknownNames(flags.failOn)
  run.terminal.say(`Watching list ${id}.`)
  const job = await followList(run, await openClient(run), id)
  await showJob(run, flags, job)
  refuseUnfinished(job)
  refuseMatched(flags.failOn, tallyOf(job))
}

async function showJob({ terminal }: Run, { output }: Output, job: BulkJob): Promise<void> {
  if (output === 'json') return terminal.print(`${JSON.stringify(job, null, 2)}\n`)
  const { used, reserved, refunded } = job.credits
  await terminal.print(
    formatPairs([
      ['list', job.id],
      ['file', `${job.filename}, column ${job.email_column}`],
      ['status', job.status],
      ['done', `${formatCount(job.done_count)} of ${formatCount(job.unique_count)} (${formatShare(job.progress)})`],
      ['results', countsOf(job)],
      ['credits', `${formatCount(used)} used, ${formatCount(reserved)} set aside, ${formatCount(refunded)} given back`],
    ]),
  )
}

type ListFlags = { limit: number; output: Output['output'] | 'jsonl' }

async function showJobs(run: Run, { limit, output }: ListFlags): Promise<void> {
  const client = await openClient(run)
  const jobs: BulkJob[] = []
  for await (const job of client.jobs.list({ signal: run.signal })) {
    if (jobs.length >= limit) break
    jobs.push(job)
  }
  if (output === 'json') return run.terminal.print(`${JSON.stringify(jobs, null, 2)}\n`)
  if (output === 'jsonl') return run.terminal.print(jobs.map((job) => `${JSON.stringify(job)}\n`).join(''))
  const rows = jobs.map((job) => [
    job.id,
    job.status,
    `${formatCount(job.done_count)}/${formatCount(job.unique_count)}`,
    job.created_at.slice(0, 16).replace('T', ' '),
    job.filename,
  ])
  await run.terminal.print(formatTable(['list', 'status', 'done', 'begun (UTC)', 'file'], rows))
}
