import type { JobResult } from '@probity/sdk'
import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import { openResultView } from '../output/results.ts'
import { createAction, openClient, type Run, type Stage } from '../run.ts'
import { addExamples, addOutputOptions, readNames } from './options.ts'

type Flags = { status?: string[]; policy?: string; evidence?: boolean; formulaSafe: boolean }

export function addJobResults(jobs: Command, stage: Stage): void {
  const command = jobs
    .command('results')
    .description(
      'Print the results of a job; of a job in progress, those so far. CSV is your file with result columns.',
    )
    .argument('<id>', 'job id')
    .option('--status <names>', 'only results with these statuses, such as valid,risky', readNames)
    .option('--policy <name>', 'add the decision of this policy: allow, review or block')
    .option('--evidence', 'add the evidence of each result')
    .option('--no-formula-safe', "do not add a ' to cells that a spreadsheet would run as formulas")
  addOutputOptions(command, 'csv').action(createAction(stage, writeResults))
  addExamples(command, [
    ['probity jobs results ID -o results.csv', 'Write your file with the result columns.'],
    ['probity jobs results ID --policy newsletter -o results.csv', 'Add a decision for each address.'],
    ['probity jobs results ID --format jsonl --status valid', 'Print one JSON object per valid address.'],
  ])
}

async function writeResults(run: Run, flags: Flags, id: string): Promise<void> {
  await checkStatuses(flags.status)
  const client = await openClient(run)
  const { status, policy, evidence, formulaSafe } = flags
  const options = { status, policy, evidence, signal: run.signal }
  if (run.output.format === 'csv') {
    return run.output.writeChunks(
      download(() => client.jobs.results.download(id, { ...options, format: 'csv', formulaSafe })),
    )
  }
  const view = await openResultView(flags)
  await run.output.writeAll<JobResult>(client.jobs.results.list(id, options), view)
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
