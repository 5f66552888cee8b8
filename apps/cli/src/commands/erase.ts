import type { Command } from 'commander'
import { type ConfirmFlags, confirmAction } from '../confirm.ts'
import { formatCount } from '../output/numbers.ts'
import { formatPairs } from '../output/table.ts'
import { createAction, openClient, type Run, type Stage } from '../run.ts'
import { addExamples, addYes } from './options.ts'

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
