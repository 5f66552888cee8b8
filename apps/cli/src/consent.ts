import { formatCount } from './output/numbers.ts'
import { formatPairs } from './output/table.ts'
import { Refusal } from './refusal.ts'
import type { Run } from './run.ts'

/** What something costs, and what there is. */
export type Price = {
  rows: number
  /** Undefined where only the service will count them. */
  unique: number | undefined
  credits: number
  /** It may be less: what is repeated costs nothing, and was not counted. */
  isAtMost?: boolean
  /** Undefined where the key may not see it. */
  available: number | undefined
  unlimited: boolean
}

export type ConsentFlags = { yes?: boolean; maxCredits?: number }

/** Nothing is spent before this has come back. */
export async function obtainConsent(run: Run, price: Price, { yes, maxCredits }: ConsentFlags): Promise<void> {
  const { credits } = price
  if (credits === 0) return
  refuseUnpayable(price)
  if (maxCredits !== undefined) {
    if (credits <= maxCredits) return
    throw new Refusal(
      'credits',
      `This costs ${costOf(price)}, and --max-credits allows ${formatCount(maxCredits)}. Nothing was spent.`,
    )
  }
  if (yes) return
  if (!run.terminal.isInteractive) {
    throw new Refusal(
      'credits',
      `This costs ${costOf(price)}, and nobody is here to ask: add --yes, or --max-credits ${credits}. Nothing was spent.`,
    )
  }
  run.terminal.stderr.write(writePrice(price))
  if (!(await ask(run, `Spend ${costOf(price)}?`))) {
    throw new Refusal('credits', 'Not agreed to. Nothing was spent.')
  }
}

/** A question that is answered with yes or no, for those who look on. */
export async function ask({ terminal, signal }: Run, message: string): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts')
  const { stdin: input, stderr: output } = terminal
  const answer = await confirm({ message, input, output, signal, initialValue: false })
  if (isCancel(answer)) throw new Refusal('interrupted', 'Interrupted. Nothing was spent.')
  return answer
}

export function writePrice({ rows, unique, isAtMost, credits, available, unlimited }: Price): string {
  const balance = available === undefined ? 'not known to this key' : formatCount(available)
  return formatPairs([
    ['rows', formatCount(rows)],
    ['unique', unique === undefined ? 'not counted yet' : formatCount(unique)],
    ['credits', isAtMost ? `at most ${formatCount(credits)}` : formatCount(credits)],
    ['balance', unlimited ? 'unlimited' : balance],
  ])
}

function costOf({ credits, isAtMost }: Price): string {
  return `${isAtMost ? 'at most ' : ''}${formatCount(credits)} ${credits === 1 ? 'credit' : 'credits'}`
}

/** The service would refuse it anyway; a question first would be a waste of the answer. */
function refuseUnpayable({ credits, isAtMost, available, unlimited }: Price): void {
  if (unlimited || isAtMost || available === undefined || available >= credits) return
  throw new Refusal(
    'credits',
    `This costs ${formatCount(credits)} credits and ${formatCount(available)} are left. Nothing was spent.`,
    'probity credits',
  )
}
