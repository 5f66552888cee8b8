import { InvalidArgumentError } from 'commander'
import { CliError } from './cli-error.ts'
import { formatCount } from './output/numbers.ts'

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
