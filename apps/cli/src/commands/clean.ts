import { resolve } from 'node:path'
import type { Probity } from '@probity/sdk'
import { type Command, Option } from 'commander'
import { writePrice } from '../consent.ts'
import { type FailOn, refuseMatched, refuseUnknownNames } from '../fail-on.ts'
import { followList, refuseUnfinished, tallyOf } from '../lists/follow.ts'
import { openSource } from '../lists/source.ts'
import { priceFile, type StartFlags, startList } from '../lists/start.ts'
import { formatCount } from '../output/numbers.ts'
import { PRESET_CHOICES, type PresetChoice, readPreset } from '../preset.ts'
import { Refusal } from '../refusal.ts'
import { act, openClient, type Run, type Stage } from '../run.ts'
import { refuseUnwritable, writeFileWhole } from '../write-file.ts'
import { addConsent, addExamples, addFailOn, addStart } from './options.ts'

type Flags = StartFlags & {
  output: string
  preset: PresetChoice
  formulaSafe: boolean
  dryRun?: boolean
  failOn?: FailOn[]
}

export function addClean(program: Command, stage: Stage): void {
  const command = program
    .command('clean')
    .description(
      'Validate a CSV, wait, and write those of its rows that a preset keeps, with our columns behind its own.',
    )
    .argument('<file>', 'the CSV; - for standard input')
    .requiredOption('-o, --output <file>', 'where to write; - for standard output')
    .addOption(new Option('--preset <name>', 'which rows stay').choices(PRESET_CHOICES).default('balanced'))
    .option('--no-formula-safe', "do not put a ' before cells that a spreadsheet would take for formulas")
  addFailOn(addConsent(addStart(command))).action(act(stage, clean))
  addExamples(command, [
    ['probity clean list.csv -o clean.csv', 'Asks what it may cost, then writes the rows worth sending to.'],
    ['probity clean list.csv -o clean.csv --preset strict --yes', 'Only valid addresses of people, without asking.'],
    ["probity clean list.csv -o clean.csv --max-credits 5000 --fail-on 'invalid>2%'", 'For a script.'],
  ])
}

async function clean(run: Run, flags: Flags, file: string): Promise<void> {
  await refuseUnknownNames(flags.failOn)
  if (flags.output !== '-' && resolve(flags.output) === resolve(file)) {
    throw new Refusal('usage', 'The output would take the place of the input: choose another name.')
  }
  if (flags.output !== '-') await refuseUnwritable(flags.output)
  const source = await openSource(run, file)
  const client = await openClient(run)
  if (flags.dryRun) {
    const { price } = await priceFile(run, client, source, flags)
    return run.terminal.print(writePrice(price))
  }
  const id = await startList(run, client, source, flags)
  run.terminal.say(`List ${id}`)
  const job = await followList(run, client, id)
  refuseUnfinished(job)
  await download(run, client, id, flags)
  refuseMatched(flags.failOn, tallyOf(job))
}

async function download(run: Run, client: Probity, id: string, flags: Flags): Promise<void> {
  const { terminal, signal } = run
  const { filterSheet } = await import('../lists/filter-sheet.ts')
  const { formulaSafe, preset, output } = flags
  const sheet = await client.jobs.results.download(id, { format: 'csv', formulaSafe, signal })
  const counted = { kept: 0, left: 0 }
  const rows = filterSheet(sheet, readPreset(preset), counted)
  if (output === '-') for await (const row of rows) await terminal.print(row)
  else await writeFileWhole(output, rows)
  const { kept, left } = counted
  terminal.say(`${formatCount(kept)} of ${formatCount(kept + left)} rows kept (${preset}).`)
}
