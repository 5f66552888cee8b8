import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { PRESET_NAMES, type PresetName } from '@probity/contract/constants/jobs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { CliError, systemCodeOf } from '../cli-error.ts'
import { formatCount } from '../output/format.ts'
import { FORMATS, type Format } from '../output/output.ts'
import type { Run } from '../run.ts'

/** Printed at the end of the help. */
export function addExamples(command: Command, examples: readonly (readonly [string, string])[]): Command {
  const lines = examples.map(([typed, effect]) => `  ${typed}\n      ${effect}\n`)
  return command.addHelpText('after', `\nExamples:\n${lines.join('')}`)
}

/** `--format`, `--json` and `-o`, with the same meaning in every command. The program adds them to commands without them. */
export function addOutputOptions(
  command: Command,
  preset: Format = 'table',
  formats: readonly Format[] = FORMATS,
): Command {
  if (command.options.some(({ long }) => long === '--format')) return command
  return command
    .addOption(new Option('--format <format>', 'format of the result').choices(formats).default(preset))
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

/** The form of a CSV or XLSX with the rows of a file. */
export type SheetFlags = { unique?: boolean; ownColumns?: boolean; bom?: boolean; formulaSafe: boolean }

export function addSheetOptions(command: Command): Command {
  return command
    .option('--unique', 'omit rows that repeat an earlier address')
    .option('--own-columns', 'write only the columns of the file; the email column has the validated addresses')
    .option('--bom', 'start the CSV with a byte order mark; by default if the file has one')
    .option('--no-formula-safe', "do not add a ' to cells that a spreadsheet would run as formulas")
}

export function sheetFormOf({ unique, ownColumns, bom, formulaSafe }: SheetFlags) {
  return { unique, ownColumns, bom, keepBom: true, formulaSafe }
}

/** A workbook is not text. */
export function checkWorkbook({ output, terminal }: Run, file: string | undefined): void {
  if (output.format !== 'xlsx' || file !== undefined || !terminal.stdout.isTTY) return
  throw new CliError('usage', '--format xlsx writes no text. Name a file with -o.')
}

/** For commands that read a file: see ReadFlags. */
export function addReadOptions(command: Command): Command {
  return command
    .option('--column <name>', 'column with the addresses; detected by default')
    .option('--sheet <name>', 'sheet of a workbook; by default the first one with addresses')
    .option('--header-row <n>', 'row with the column names, 0 for none; detected by default', readCount)
    .option('--first-address-only', 'validate the first address of each cell; by default all')
    .option('--validate-malformed', 'validate and charge values with a syntax error; by default they are left out')
    .option('--accept-suggestions', 'correct domains that look mistyped, such as gmial.com')
}

/** For commands that create a job from a file. */
export function addStartOptions(command: Command): Command {
  return addReadOptions(command)
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

/** A limit on the results with a status or reason, as a number or a share. */
export type FailOn = { name: string; limit: number; isShare: boolean; text: string }

/** Number of results, in total and by status and reason. */
export type Tally = { total: number; counts: ReadonlyMap<string, number> }

const FORM = /^(?<name>[a-z_0-9]+)(?:>(?<number>\d{1,9}(?:\.\d{1,4})?)(?<percent>%)?)?$/

/** `invalid>2%`, `risky>10`, or `unknown` for `unknown>0`. Repeated flags add limits. */
export function readFailOn(text: string, earlier: FailOn[] = []): FailOn[] {
  const { name = '', number = '0', percent } = FORM.exec(text.replaceAll(' ', ''))?.groups ?? {}
  if (name === '') throw new InvalidArgumentError("Must be a status or reason with a limit, such as 'invalid>2%'.")
  const limit = Number(number)
  if (percent && limit > 100) throw new InvalidArgumentError('Must be at most 100%.')
  return [...earlier, { name, limit, isShare: percent !== undefined, text }]
}

/** Rejects unknown names before anything is charged: they would never match. */
export async function checkFailOnNames(limits: readonly FailOn[] | undefined): Promise<void> {
  if (limits === undefined) return
  const { STATUSES, SUB_STATUSES } = await import('@probity/contract/constants/validations')
  const wrong = limits.find(({ name }) => !Object.hasOwn(STATUSES, name) && !Object.hasOwn(SUB_STATUSES, name))
  if (wrong === undefined) return
  const statuses = Object.keys(STATUSES).join(', ')
  throw new CliError('usage', `--fail-on: ${wrong.name} is not a status or reason. Statuses are ${statuses}.`)
}

/** Throws if a limit is exceeded. Called after the results are written. */
export function checkFailOn(limits: readonly FailOn[] | undefined, { total, counts }: Tally): void {
  for (const { name, limit, isShare, text } of limits ?? []) {
    const count = counts.get(name) ?? 0
    const max = isShare ? (total * limit) / 100 : limit
    if (count <= max) continue
    throw new CliError('failed_on', `${formatCount(count)} of ${formatCount(total)} are ${name}: --fail-on ${text}.`)
  }
}

/** Shorter names for two of them. */
const SHORT_NAMES = { strict: 'safest', lenient: 'all_but_bounces' } as const satisfies Record<string, PresetName>

export type PresetChoice = PresetName | keyof typeof SHORT_NAMES
export const PRESET_CHOICES: PresetChoice[] = [...PRESET_NAMES, ...(Object.keys(SHORT_NAMES) as PresetChoice[])]

export function readPreset(choice: PresetChoice): PresetName {
  return choice === 'strict' || choice === 'lenient' ? SHORT_NAMES[choice] : choice
}

/** `address` or `address:port`, with brackets around an IPv6 address that has a port. */
export function readDnsServer(text: string, earlier: string[] = []): string[] {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const address = isIP(text) === 6 ? text : (bracketed ?? plain ?? '')
  if (isIP(address) === 0 || Number(port ?? 53) > 65_535) {
    throw new InvalidArgumentError('Must be an IP address, such as 127.0.0.1 or 127.0.0.1:5353.')
  }
  return [...earlier, text]
}
