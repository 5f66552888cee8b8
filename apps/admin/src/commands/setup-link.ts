import { Command } from 'commander'
import type { AdminConfig } from '../config.ts'
import { explain } from '../database.ts'
import { Refusal } from '../refusal.ts'
import { makeSetupLink } from '../setup-link.ts'

/** For operators without the link that was printed at the start. */
export function setupLinkCommand(config: AdminConfig): Command {
  return new Command('setup-link')
    .description(
      'Print the setup link for the first user. It can be used once and expires in one hour. Earlier links become invalid.',
    )
    .action(async () => {
      const link = await makeSetupLink(config).catch((error: unknown) => {
        throw explain(error)
      })
      if (link === undefined) throw new Refusal('The installation has already been set up: a user exists.')
      process.stdout.write(`${JSON.stringify({ link })}\n`)
    })
}
