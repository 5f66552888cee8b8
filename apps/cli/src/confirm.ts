import type { Probity } from '@probity/sdk'
import { CliError, hasProblemCode } from './cli-error.ts'
import { countOf, formatCount, formatPairs, readable } from './output/format.ts'
import type { Run } from './run.ts'

/** The price of an action and the balance of the account. */
export type Price = {
  rows: number
  unique: number
  credits: number
  /** Undefined if the key cannot read the account. */
  available: number | undefined
  unlimited: boolean
}

export type ConfirmFlags = { yes?: boolean }
export type CostFlags = ConfirmFlags & { maxCredits?: number }

/** Asks before an action that cannot be undone. `effect` is a sentence. */
export async function confirmAction(run: Run, { yes }: ConfirmFlags, effect: string): Promise<void> {
  if (yes) return
  if (!run.terminal.isInteractive) throw new CliError('declined', `${effect} Confirmation required: pass --yes.`)
  if (!(await ask(run, `${effect} Continue?`))) throw new CliError('declined', 'Declined. Nothing was changed.')
}

/** Asks before credits are charged, unless a flag allows it. */
export async function confirmCost(run: Run, price: Price, { yes, maxCredits }: CostFlags): Promise<void> {
  const { credits } = price
  if (credits === 0) return
  checkBalance(price)
  const cost = `This costs ${countOf(credits, 'credit')}`
  if (maxCredits !== undefined) {
    if (credits <= maxCredits) return
    throw new CliError('credits', `${cost}, more than --max-credits ${maxCredits}. Nothing was charged.`)
  }
  if (yes) return
  if (!run.terminal.isInteractive) {
    const flags = `--yes or --max-credits ${credits}`
    throw new CliError('declined', `${cost}. Confirmation required: pass ${flags}. Nothing was charged.`)
  }
  run.terminal.stderr.write(formatPrice(price))
  if (!(await ask(run, `Spend ${countOf(credits, 'credit')}?`)))
    throw new CliError('declined', 'Declined. Nothing was charged.')
}

/** A question whose default is no. */
export async function ask({ terminal, signal }: Run, message: string): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts')
  const { stdin: input, stderr: output } = terminal
  const answer = await confirm({ message, input, output, signal, initialValue: false })
  if (isCancel(answer)) throw new CliError('interrupted', 'Interrupted. Nothing was changed.')
  return answer
}

type Choice = { options: { value: string; label: string }[]; initial: string }

export async function choose({ terminal, signal }: Run, message: string, choice: Choice): Promise<string> {
  const { select, isCancel } = await import('@clack/prompts')
  const { stdin: input, stderr: output } = terminal
  // The text of a file must not control the terminal.
  const options = choice.options.map(({ value, label }) => ({ value, label: readable(label) }))
  const answer = await select({ message, options, initialValue: choice.initial, input, output, signal })
  if (isCancel(answer)) throw new CliError('interrupted', 'Interrupted. Nothing was changed.')
  return answer
}

/** The price as an object, with the field names of `--json`. */
export function presentPrice({ rows, unique, credits, available, unlimited }: Price) {
  return { rows, unique, credits, available: available ?? null, unlimited }
}

export function formatPrice({ rows, unique, credits, available, unlimited }: Price): string {
  const balance = available === undefined ? 'unknown: the key lacks the scope account:read' : formatCount(available)
  return formatPairs([
    ['rows', formatCount(rows)],
    ['unique', formatCount(unique)],
    ['credits', formatCount(credits)],
    ['balance', unlimited ? 'unlimited' : balance],
  ])
}

/** The balance of the account, if the key can read it. */
export async function findBalance({ signal }: Run, client: Probity): Promise<Pick<Price, 'available' | 'unlimited'>> {
  try {
    const { credits } = await client.account.get({ signal })
    return { available: credits.available, unlimited: credits.unlimited }
  } catch (error) {
    if (hasProblemCode(error, 'missing_scope', 'key_type_not_allowed'))
      return { available: undefined, unlimited: false }
    throw error
  }
}

function checkBalance({ credits, available, unlimited }: Price): void {
  if (unlimited || available === undefined || available >= credits) return
  const message = `This costs ${countOf(credits, 'credit')}, and ${formatCount(available)} are available. Nothing was charged.`
  throw new CliError('credits', message, 'probity usage')
}
