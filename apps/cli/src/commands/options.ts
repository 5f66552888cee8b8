import { type Command, InvalidArgumentError, Option } from 'commander'
import { readFailOn } from '../fail-on.ts'

/** What stands first in the help of a command: how it is used. */
export function addExamples(command: Command, examples: readonly (readonly [string, string])[]): Command {
  const lines = examples.map(([typed, does]) => `  ${typed}\n      ${does}\n`)
  return command.addHelpText('before', `Examples:\n${lines.join('')}`)
}

export function outputOption<Format extends string>(formats: readonly Format[], preset: Format): Option {
  return new Option('-o, --output <format>', 'how results are written').choices(formats).default(preset)
}

export function addConsent(command: Command): Command {
  return command
    .option('-y, --yes', 'spend what it costs without asking')
    .option('--max-credits <n>', 'spend up to so many without asking, and nothing if it costs more', readCount)
}

export function addFailOn(command: Command): Command {
  return command.option('--fail-on <bound>', "exit with 8 on results such as 'invalid>2%'; may be repeated", readFailOn)
}

export function readCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is a whole number.')
  return Number(text)
}

export function readTime(text: string): Date {
  const time = new Date(text)
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(time.getTime())) {
    throw new InvalidArgumentError('It is a date such as 2027-01-31, or a time such as 2027-01-31T08:00:00Z.')
  }
  return time
}

/** For commands that make a file a list. */
export function addStart(command: Command): Command {
  return command
    .option('--column <name>', 'the column with the addresses; else the one that looks most like it')
    .option('--dry-run', 'say what it would cost, and spend nothing')
    .option('--fresh', 'begin a new list, even if this file is one already')
}
