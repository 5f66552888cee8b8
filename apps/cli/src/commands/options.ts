import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { CliError, systemCodeOf } from '../cli-error.ts'
import { readFailOn } from '../fail-on.ts'
import { FORMATS, type Format } from '../output/output.ts'

/** Printed at the end of the help. */
export function addExamples(command: Command, examples: readonly (readonly [string, string])[]): Command {
  const lines = examples.map(([typed, effect]) => `  ${typed}\n      ${effect}\n`)
  return command.addHelpText('after', `\nExamples:\n${lines.join('')}`)
}

/** `--format`, `--json` and `-o`, with the same meaning in every command. The program adds them to commands without them. */
export function addOutputOptions(command: Command, preset: Format = 'table'): Command {
  if (command.options.some(({ long }) => long === '--format')) return command
  return command
    .addOption(new Option('--format <format>', 'format of the result').choices(FORMATS).default(preset))
    .addOption(new Option('--json', 'same as --format json').conflicts('format'))
    .option('-o, --output <file>', 'write the result to a file; - for standard output')
}

export function addYes(command: Command): Command {
  return command.option('-y, --yes', 'skip the confirmation')
}

export function addCostOptions(command: Command): Command {
  return addYes(command).option(
    '--max-credits <n>',
    'skip the confirmation up to this cost, and fail above it',
    readCount,
  )
}

export function addFailOn(command: Command): Command {
  return command.option('--fail-on <limit>', "exit with 8 above a limit such as 'invalid>2%'; repeatable", readFailOn)
}

/** For commands that create a job from a file. */
export function addStartOptions(command: Command): Command {
  return command
    .option('--column <name>', 'column with the addresses; detected by default')
    .option('--dry-run', 'print the cost and charge nothing')
    .option('--fresh', 'create a new job even if this file already has one')
}

export function readCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Must be a whole number.')
  return Number(text)
}

export function readTime(text: string): Date {
  const time = new Date(text)
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(time.getTime())) {
    throw new InvalidArgumentError('Must be a date such as 2027-01-31 or a time such as 2027-01-31T08:00:00Z.')
  }
  return time
}

export function readDay(text: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || Number.isNaN(Date.parse(text))) {
    throw new InvalidArgumentError('Must be a date such as 2027-01-31.')
  }
  return text
}

/** A comma-separated list. */
export function readNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.includes('')) throw new InvalidArgumentError('Must be names separated by commas.')
  return names
}

/** The text of a file, or of standard input for `-`. */
export function readInput(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8')
  } catch (error) {
    throw new CliError('input', `Cannot read ${path} (${systemCodeOf(error) ?? 'unknown error'}).`)
  }
}

/** Times of the service without seconds, for tables. */
export function formatTime(time: string | null | undefined, none = ''): string {
  return time ? time.slice(0, 16).replace('T', ' ') : none
}
