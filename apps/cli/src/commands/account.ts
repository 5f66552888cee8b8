import type { Account, Usage } from '@probity/sdk'
import { type Command, Option } from 'commander'
import { type ConfirmFlags, confirmAction } from '../confirm.ts'
import { formatCount, formatPairs, formatTable } from '../output/format.ts'
import { createAction, openClient, type Run, type Stage } from '../run.ts'
import { addExamples, addYes, readDay } from './options.ts'

type UsageFlags = { from?: string; to?: string; by: 'day' | 'key' }

export function addUsage(program: Command, stage: Stage): void {
  const command = program
    .command('usage')
    .description('Credit balance, and usage by day or by key. Scope: account:read.')
    .option('--from <day>', 'first day (UTC); 29 days before the last by default', readDay)
    .option('--to <day>', 'last day (UTC); today by default', readDay)
    .addOption(
      new Option('--by <unit>', 'rows by day or by key; CSV contains these rows')
        .choices(['day', 'key'])
        .default('day'),
    )
    .action(createAction(stage, writeUsage))
  addExamples(command, [
    ['probity usage', 'Print the balance and the usage of 30 days.'],
    ['probity usage --from 2026-11-01 --to 2026-11-30 --by key --format csv', 'Export a month by key.'],
  ])
}

async function writeUsage(run: Run, flags: UsageFlags): Promise<void> {
  const client = await openClient(run)
  const { signal } = run
  const [{ credits, plan }, usage] = await Promise.all([
    client.account.get({ signal }),
    client.usage({ ...flags, signal }),
  ])
  if (run.output.format === 'csv') return run.output.writeAll(rowsOf(usage), { columns: [] })
  await run.output.writeOne(
    { plan: plan.name, credits, ...usage },
    () => formatBalance(credits, plan) + formatUsage(usage),
  )
}

function formatBalance({ available, reserved, used, unlimited }: Account['credits'], plan: Account['plan']): string {
  return formatPairs([
    ['available', unlimited ? 'unlimited' : formatCount(available)],
    ['reserved', formatCount(reserved)],
    ['used', formatCount(used)],
    ['plan', plan.name],
  ])
}

type Row = { requests: number; credits_used: number; credits_refunded: number }

function rowsOf({ days, keys }: Usage): Row[] {
  return days ?? keys ?? []
}

/** Days without usage are left out. */
function formatUsage({ from_on, to_on, total, days, keys }: Usage): string {
  const cells = (row: Row) => [row.requests, row.credits_used, row.credits_refunded].map(formatCount)
  const rows = [
    ...(days ?? []).map((day) => [day.occurred_on, ...cells(day)]),
    ...(keys ?? []).map((key) => [key.key_name ?? key.key_id ?? 'web app', ...cells(key)]),
  ].filter(([, ...counts]) => counts.some((count) => count !== '0'))
  const head = [days === undefined ? 'key' : 'day (UTC)', 'requests', 'credits used', 'credits refunded']
  return `\n${formatTable(head, [...rows, [`${from_on} to ${to_on}`, ...cells(total)]])}`
}

export function addErase(program: Command, stage: Stage): void {
  const command = program
    .command('erase')
    .description('Delete all data about an address, in live and test mode. Needs a live key. Scope: account:write.')
    .argument('<email>', 'address to erase')
  addYes(command).action(createAction(stage, eraseAddress))
  addExamples(command, [['probity erase ada@example.com', 'Erase an address after a confirmation.']])
}

async function eraseAddress(run: Run, flags: ConfirmFlags, email: string): Promise<void> {
  const client = await openClient(run)
  await confirmAction(run, flags, `All data about ${email} will be deleted.`)
  const erasure = await client.erasures.create(email)
  await run.output.writeOne(erasure, ({ counts }) =>
    formatPairs(Object.entries(counts).map(([kind, count]) => [kind.replaceAll('_', ' '), formatCount(count)])),
  )
}
