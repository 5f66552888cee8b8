import type { Command } from 'commander'
import { formatCount } from '../output/numbers.ts'
import { formatPairs } from '../output/table.ts'
import { act, openClient, type Stage } from '../run.ts'
import { addExamples, outputOption } from './options.ts'

const FORMATS = ['table', 'json'] as const

export function addCredits(program: Command, stage: Stage): void {
  const command = program
    .command('credits')
    .description('Credit balance: available, reserved and used.')
    .addOption(outputOption(FORMATS, 'table'))
  command.action(
    act(stage, async (run, { output }: { output: (typeof FORMATS)[number] }) => {
      const { credits, plan } = await (await openClient(run)).account.get({ signal: run.signal })
      if (output === 'json') return run.terminal.print(`${JSON.stringify(credits, null, 2)}\n`)
      const { available, reserved, used, unlimited } = credits
      await run.terminal.print(
        formatPairs([
          ['available', unlimited ? 'unlimited' : formatCount(available)],
          ['reserved', formatCount(reserved)],
          ['used', formatCount(used)],
          ['plan', plan.name],
        ]),
      )
    }),
  )
  addExamples(command, [['probity credits -o json', 'The balance, for a script.']])
}
