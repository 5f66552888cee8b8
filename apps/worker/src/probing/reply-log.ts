import { startInterval } from '@probity/concurrency/scheduling'
import type { Db } from '@probity/database/connection/connect'
import { recordUnclassifiedReplies } from '@probity/database/operators/unclassified-replies'
import type { UnclassifiedReply } from '@probity/engine/smtp/probe/request'
import type { Logger } from 'pino'

/** Counts unclassified replies and writes the counts to the database periodically, for the operator pages. */
export type ReplyLog = { note(reply: UnclassifiedReply): void; stop(): Promise<void> }

const WRITE_EVERY_MS = 10_000
/** Different ones between two writes; a server that makes up new words all the time is not worth more. */
const KINDS_MAX = 200

export function openReplyLog({ db, log }: { db: Db; log: Logger }): ReplyLog {
  let counts = new Map<string, { reply: UnclassifiedReply; seen: number }>()

  async function write(): Promise<void> {
    if (counts.size === 0) return
    const written = [...counts.values()]
    counts = new Map()
    try {
      await recordUnclassifiedReplies(
        db,
        written.map(({ reply: { provider, stage, code, text }, seen }) => ({
          provider,
          stage,
          code,
          reply: text,
          seen,
        })),
      )
    } catch (error) {
      log.warn({ err: error, replies: written.length }, 'failed to save unclassified replies')
    }
  }

  const reports = startInterval(WRITE_EVERY_MS, write, {
    delayFirst: true,
    runOnStop: true,
    unref: true,
  })
  return {
    note(reply) {
      const key = JSON.stringify(reply)
      const entry = counts.get(key)
      if (entry) entry.seen += 1
      else if (counts.size < KINDS_MAX) counts.set(key, { reply, seen: 1 })
    },
    stop: reports.stop,
  }
}
