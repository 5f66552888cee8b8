import { ReplyMark, UnreadReplies } from '@probity/contract/operator'
import { asOperator } from '@probity/database/connect'
import { listUnrecognised, markReply } from '@probity/database/unrecognised'
import { Problem } from '../../problem.ts'
import type { Route } from '../../route.ts'

const SHOWN_MAX = 500

/** What mail servers said that no rule knows, and which of it an operator has looked at. */
export const manageReplies: Route = async (app, { db }) => {
  app.get('/replies', { schema: { response: { 200: UnreadReplies } } }, async () => {
    const replies = await asOperator(db, (trx) => listUnrecognised(trx, SHOWN_MAX))
    return {
      replies: replies.map(({ firstSeenAt, lastSeenAt, checkedAt, ...reply }) => ({
        ...reply,
        first_seen_at: firstSeenAt.toISOString(),
        last_seen_at: lastSeenAt.toISOString(),
        looked_at: checkedAt?.toISOString() ?? null,
      })),
    }
  })

  const marking = { schema: { body: ReplyMark }, config: { needsNoCode: true } }
  app.post('/replies/look', marking, async ({ body: { looked, ...key } }, reply) => {
    const isThere = await asOperator(db, (trx) => markReply(trx, key, looked))
    if (!isThere) throw new Problem('not_found')
    return reply.code(204).send()
  })
}
