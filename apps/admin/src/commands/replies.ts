import { asOwner } from '@probity/database/connection/connect'
import { listUnclassified } from '@probity/database/operators/unclassified-replies'
import { Command } from 'commander'
import type { AdminConfig } from '../config.ts'
import { withDatabase } from '../database.ts'

const SHOWN_MAX = 100

/** SMTP replies that no classification rule matches: the source of new rules. */
export function repliesCommand(config: AdminConfig): Command {
  return new Command('replies').description('List unclassified SMTP replies, the most frequent first.').action(() =>
    withDatabase(config, async (db) => {
      const replies = await asOwner(db, (trx) => listUnclassified(trx, SHOWN_MAX))
      return replies.map(({ provider, stage, code, reply, seen, firstSeenAt, lastSeenAt }) => {
        return { provider, stage, code, reply, seen, first_seen_at: firstSeenAt, last_seen_at: lastSeenAt }
      })
    }),
  )
}
