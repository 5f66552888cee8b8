import type { JobEta } from '@probity/contract/bulk'
import type { Job } from './jobs.ts'

const WINDOW_S = 60
/** The longest that an address is asked again by a mail server that puts it off each time: the whole retry ladder. */
const LADDER_MS = 81 * 60_000
/** How much slower the rest may go than the last minute did: the easy addresses tend to be done first. */
const SLOWER = 2

type Standing = Pick<
  Job,
  'state' | 'pausedAt' | 'startedAt' | 'uniqueCount' | 'doneCount' | 'recentCount' | 'waiting' | 'now'
>

/** Addresses finished per second, over the last minute or since the work began if that is less. */
export function rateOf({ state, startedAt, doneCount, recentCount, now }: Standing): number {
  if (state !== 'processing' || startedAt === null) return 0
  const seconds = Math.min(WINDOW_S, Math.max(1, (now.getTime() - startedAt.getTime()) / 1000))
  // A batch counts whole when it ends, even if some of its addresses went on to another.
  return Math.min(recentCount, doneCount) / seconds
}

/** Between when and when a job will be done; null where there is nothing to tell it by. */
export function forecast(job: Standing): JobEta {
  if (job.state !== 'processing' || job.pausedAt) return null
  const waitingCount = job.waiting.reduce((sum, { count }) => sum + count, 0)
  const toAsk = Math.max(0, job.uniqueCount - job.doneCount - waitingCount)
  const rate = rateOf(job)
  if (toAsk > 0 && rate === 0) return null

  const now = job.now.getTime()
  const workMs = toAsk === 0 ? 0 : (toAsk / rate) * 1000
  const lastTry = Math.max(now, ...job.waiting.map(({ until }) => until.getTime()))
  const ladderEnd = waitingCount === 0 ? now : Math.max(lastTry, now + LADDER_MS)
  return {
    earliest_at: new Date(Math.max(now + workMs, lastTry)).toISOString(),
    latest_at: new Date(Math.max(now + workMs * SLOWER, ladderEnd)).toISOString(),
  }
}
