import type { Probity } from '@probity/sdk'
import { type Command, InvalidArgumentError } from 'commander'
import { Refusal } from '../refusal.ts'
import { act, openClient, type Run, type Stage } from '../run.ts'
import { refuseUnwritable, writeFileWhole } from '../write-file.ts'
import { addExamples, outputOption } from './options.ts'

const FORMATS = ['csv', 'jsonl', 'json'] as const

type Flags = {
  output: (typeof FORMATS)[number]
  status?: string[]
  out?: string
  policy?: string
  evidence?: boolean
  formulaSafe: boolean
}

export function addResults(list: Command, stage: Stage): void {
  const command = list
    .command('results')
    .description('What came out for a list; while it is under way, what came out so far.')
    .argument('<id>', 'the list')
    .addOption(outputOption(FORMATS, 'csv'))
    .option('--status <names>', 'only these, separated by commas, as valid,risky', readStatuses)
    .option('--out <file>', 'write to this file, whole or not at all')
    .option('--policy <name>', 'with what this policy decides: allow, review or block, and why')
    .option('--evidence', 'with all that is known of each address')
    .option('--no-formula-safe', "do not put a ' before cells that a spreadsheet would take for formulas")
    .action(act(stage, writeResults))
  addExamples(command, [
    ['probity list results ID --out marked.csv', 'Your own file, with our columns behind its own.'],
    ['probity list results ID --policy newsletter --out marked.csv', 'The same, with a decision for each address.'],
    ['probity list results ID -o jsonl --status valid', 'A line of JSON for each valid address.'],
  ])
}

async function writeResults(run: Run, flags: Flags, id: string): Promise<void> {
  await refuseUnknownStatuses(flags.status)
  if (flags.out !== undefined) await refuseUnwritable(flags.out)
  const chunks = readResults(await openClient(run), id, flags, run.signal)
  if (flags.out !== undefined) return writeFileWhole(flags.out, chunks)
  for await (const chunk of chunks) await run.terminal.print(chunk)
}

async function* readResults(client: Probity, id: string, flags: Flags, signal: AbortSignal) {
  const { output, status, policy, evidence, formulaSafe } = flags
  const options = { status, policy, evidence, signal }
  if (output === 'csv') {
    yield* await client.jobs.results.download(id, { ...options, format: 'csv', formulaSafe })
    return
  }
  if (output === 'jsonl') {
    for await (const result of client.jobs.results.list(id, options)) yield `${JSON.stringify(result)}\n`
    return
  }
  let lead = '[\n'
  for await (const result of client.jobs.results.list(id, options)) {
    yield lead + JSON.stringify(result)
    lead = ',\n'
  }
  yield lead === '[\n' ? '[]\n' : '\n]\n'
}

function readStatuses(text: string): string[] {
  const statuses = text.split(',').map((one) => one.trim())
  if (statuses.includes('')) throw new InvalidArgumentError('It is a list such as valid,risky.')
  return statuses
}

async function refuseUnknownStatuses(statuses: string[] | undefined): Promise<void> {
  const { STATUSES } = await import('@probity/contract/status')
  const wrong = statuses?.find((status) => !Object.hasOwn(STATUSES, status))
  if (wrong === undefined) return
  throw new Refusal('usage', `There is no status ${wrong}. Statuses are ${Object.keys(STATUSES).join(', ')}.`)
}
