import { InvalidArgumentError } from 'commander'
import { formatCount } from './output/numbers.ts'
import { Refusal } from './refusal.ts'

/** A bound on how many results may be such. */
export type FailOn = { name: string; bound: number; isShare: boolean; text: string }

/** How many results there are of each status and of each reason, and in all. */
export type Tally = { total: number; counts: ReadonlyMap<string, number> }

const FORM = /^(?<name>[a-z_0-9]+)(?:>(?<number>\d{1,9}(?:\.\d{1,4})?)(?<percent>%)?)?$/

/** `invalid>2%`, `risky>10`, or `unknown` for more than none. Given several times, all hold. */
export function readFailOn(text: string, earlier: FailOn[] = []): FailOn[] {
  const { name = '', number = '0', percent } = FORM.exec(text.replaceAll(' ', ''))?.groups ?? {}
  if (name === '') throw new InvalidArgumentError("It is a status or a reason and a bound, as in 'invalid>2%'.")
  const bound = Number(number)
  if (percent && bound > 100) throw new InvalidArgumentError('A share is at most 100%.')
  return [...earlier, { name, bound, isShare: percent !== undefined, text }]
}

/** A name that is misspelt would never be met. Before anything is spent. */
export async function refuseUnknownNames(bounds: readonly FailOn[] | undefined): Promise<void> {
  if (bounds === undefined) return
  const { STATUSES, SUB_STATUSES } = await import('@probity/contract/status')
  const wrong = bounds.find(({ name }) => !Object.hasOwn(STATUSES, name) && !Object.hasOwn(SUB_STATUSES, name))
  if (wrong === undefined) return
  const statuses = Object.keys(STATUSES).join(', ')
  throw new Refusal(
    'usage',
    `--fail-on knows no ${wrong.name}. Statuses are ${statuses}; the reasons stand in results.`,
  )
}

/** Says so, and nothing else, once the results have been handed out. */
export function refuseMatched(bounds: readonly FailOn[] | undefined, { total, counts }: Tally): void {
  for (const { name, bound, isShare, text } of bounds ?? []) {
    const count = counts.get(name) ?? 0
    const most = isShare ? (total * bound) / 100 : bound
    if (count <= most) continue
    throw new Refusal('failed_on', `${formatCount(count)} of ${formatCount(total)} are ${name}: --fail-on ${text}.`)
  }
}
