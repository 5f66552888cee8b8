import type { Db } from '@probity/database/connect'
import { reportEvery } from '@probity/database/report'
import { noteUnrecognised } from '@probity/database/unrecognised'
import type { Unrecognised } from '@probity/engine/mailbox/question'
import type { Logger } from 'pino'

/** Counts the replies that no rule knows and brings the counts to the database now and then, for the operator. */
export type ReplyLog = { note(reply: Unrecognised): void; stop(): Promise<void> }

const WRITE_EVERY_MS = 10_000
/** Different ones between two writes; a server that makes up new words all the time is not worth more. */
const KINDS_MAX = 200

export function openReplyLog({ db, log }: { db: Db; log: Logger }): ReplyLog {
  let counts = new Map<string, { reply: Unrecognised; seen: number }>()

  async function write(): Promise<void> {
    if (counts.size === 0) return
    const written = [...counts.values()]
    counts = new Map()
    try {
      await noteUnrecognised(
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
      log.warn({ err: error, replies: written.length }, 'could not keep the replies that no rule knows')
    }
  }

  const reports = reportEvery(WRITE_EVERY_MS, write)
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
