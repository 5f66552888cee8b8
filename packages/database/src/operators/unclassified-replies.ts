import { sql } from 'kysely'
import { type Db, type Trx, withoutTenant } from '../connection/connect.ts'

/** A normalized reply of a mail server that no rule classifies, and its number of occurrences. */
export type UnclassifiedReplyRow = { provider: string; stage: string; code: number; reply: string; seen: number }

/** Adds to the stored counts. */
export async function recordUnclassifiedReplies(db: Db, replies: UnclassifiedReplyRow[]): Promise<void> {
  const providers = replies.map(({ provider }) => provider)
  const stages = replies.map(({ stage }) => stage)
  const codes = replies.map(({ code }) => code)
  const texts = replies.map(({ reply }) => reply)
  const seen = replies.map((reply) => reply.seen)
  await withoutTenant(db, (trx) =>
    sql`select record_unrecognized_replies(${providers}::text[], ${stages}::text[], ${codes}::smallint[], ${texts}::text[],
      ${seen}::integer[])`.execute(trx),
  )
}

/** The most frequent first; for the operator. */
export async function listUnclassified(trx: Trx, limit: number) {
  const replies = trx.selectFrom('unrecognizedReplies').selectAll()
  return replies.orderBy('seen', 'desc').orderBy('lastSeenAt', 'desc').limit(limit).execute()
}

type ReplyKey = Pick<UnclassifiedReplyRow, 'provider' | 'stage' | 'code' | 'reply'>

/** Marks a reply as reviewed or not. False if it does not exist. As an operator. */
export async function markReply(
  trx: Trx,
  { provider, stage, code, reply }: ReplyKey,
  looked: boolean,
): Promise<boolean> {
  const marked = await trx
    .updateTable('unrecognizedReplies')
    .set({ checkedAt: looked ? sql<Date>`clock_timestamp()` : null })
    .where('provider', '=', provider)
    .where('stage', '=', stage)
    .where('code', '=', code)
    .where('reply', '=', reply)
    .returning('code')
    .execute()
  return marked.length > 0
}
