import { ReplyMark, UnclassifiedReplies } from '@probity/contract/schemas/operators'
import { asOperator, type Db } from '@probity/database/connection/connect'
import { listUnclassified, markReply } from '@probity/database/operators/unclassified-replies'
import { Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'

const SHOWN_MAX = 500

/** SMTP replies that no rule classifies, and whether an operator has reviewed them. */
export const manageReplies: Route<{ db: Db }> = async (app, { db }) => {
  app.get('/replies', { schema: { response: { 200: UnclassifiedReplies } } }, async () => {
    const replies = await asOperator(db, (trx) => listUnclassified(trx, SHOWN_MAX))
    return {
      replies: replies.map(({ firstSeenAt, lastSeenAt, checkedAt, ...reply }) => ({
        ...reply,
        first_seen_at: firstSeenAt.toISOString(),
        last_seen_at: lastSeenAt.toISOString(),
        reviewed_at: checkedAt?.toISOString() ?? null,
      })),
    }
  })

  const marking = { schema: { body: ReplyMark }, config: { needsNoCode: true } }
  app.post('/replies/review', marking, async ({ body: { is_reviewed: isReviewed, ...key } }, reply) => {
    const isThere = await asOperator(db, (trx) => markReply(trx, key, isReviewed))
    if (!isThere) throw new Problem('not_found')
    return reply.code(204).send()
  })
}
