import type { Db } from '@probity/database/connection/connect'
import { findPendingWork, type PendingWork } from '@probity/database/validations/queue'

/** How often is looked for what customers wait for. */
export const LOOK_EVERY_MS = 200
/** Those who look do so together, each by a clock of its own: one question is enough for them. */
const FRESH_FOR_MS = LOOK_EVERY_MS / 4

/** Tells what there is to do at all. */
export type Glance = () => Promise<PendingWork>

/** One question for all who look so often, instead of one each: most of the time there is nothing. */
export function openGlance(db: Db): Glance {
  let askedAt = Number.NEGATIVE_INFINITY
  let answer: Promise<PendingWork>
  return () => {
    const now = performance.now()
    if (now - askedAt >= FRESH_FOR_MS) {
      askedAt = now
      answer = findPendingWork(db)
    }
    return answer
  }
}
