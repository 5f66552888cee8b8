import { sql } from 'kysely'
import { type Db, type Trx, withoutTenant } from '../connection/connect.ts'

/** A reply of a mail server that no rule knows, normalised, and how often it was met. */
export type UnclassifiedReplyRow = { provider: string; stage: string; code: number; reply: string; seen: number }

/** Adds to what was counted before. */
export async function noteUnrecognised(db: Db, replies: UnclassifiedReplyRow[]): Promise<void> {
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

/** Marks a reply as looked at, or not. False where it is gone. As an operator. */
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
