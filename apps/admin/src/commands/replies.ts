import { asOwner } from '@probity/database/connect'
import { listUnrecognised } from '@probity/database/unrecognised'
import { Command } from 'commander'
import type { AdminConfig } from '../config.ts'
import { withDatabase } from '../database.ts'

const SHOWN_MAX = 100

/** What mail servers said that no rule knows: the rules grow by what is found here. */
export function repliesCommand(config: AdminConfig): Command {
  return new Command('replies')
    .description('List the replies of mail servers that we could not read, the most frequent first.')
    .action(() =>
      withDatabase(config, async (db) => {
        const replies = await asOwner(db, (trx) => listUnrecognised(trx, SHOWN_MAX))
        return replies.map(({ provider, stage, code, reply, seen, firstSeenAt, lastSeenAt }) => {
          return { provider, stage, code, reply, seen, first_seen_at: firstSeenAt, last_seen_at: lastSeenAt }
        })
      }),
    )
}
