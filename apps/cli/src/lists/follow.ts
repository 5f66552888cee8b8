import type { BulkJob, Probity } from '@probity/sdk'
import type { Tally } from '../fail-on.ts'
import { formatClock, formatCount, formatDuration, formatRate } from '../output/numbers.ts'
import { openProgress, type Step } from '../output/progress.ts'
import { Refusal } from '../refusal.ts'
import type { Run } from '../run.ts'

/** Shows how a list goes on until it has ended. Ctrl-C ends the looking on, not the list. */
export async function followList({ terminal, signal }: Run, client: Probity, id: string): Promise<BulkJob> {
  const progress = await openProgress(terminal)
  try {
    return await client.jobs.wait(id, { signal, onProgress: (job) => progress.show(stepOf(job, Date.now())) })
  } catch (error) {
    if (!signal.aborted) throw error
    throw new Refusal('interrupted', `The list is still running: probity list watch ${id}`)
  } finally {
    progress.stop()
  }
}

/** A list that ended before its end has results, but not all. */
export function refuseUnfinished({ id, status }: BulkJob): void {
  if (status === 'completed') return
  throw new Refusal('other', `The list is ${status}: its results are not whole.`, `probity list results ${id}`)
}

export function tallyOf({ done_count, status_counts, sub_status_counts }: BulkJob): Tally {
  return { total: done_count, counts: new Map(Object.entries({ ...sub_status_counts, ...status_counts })) }
}

export function stepOf(job: BulkJob, now: number): Step {
  const { done_count: done, unique_count: total, rate_per_s, eta, finished_at, status } = job
  const isOver = finished_at !== null
  const pace = [
    ...(isOver || rate_per_s === 0 ? [] : [`, ${formatRate(rate_per_s)}`]),
    ...(isOver || eta === null ? [] : [`, ${rangeOf(eta, now)} left`]),
    ...(status === 'processing' || status === 'completed' ? [] : [`, ${status}`]),
  ]
  return {
    done,
    total,
    pace: pace.join(''),
    more: [countsOf(job), ...delayOf(job), ...(isOver ? [] : waitsOf(job))].join('; '),
  }
}

export function countsOf({
  status_counts: { valid, invalid, risky, unknown },
}: Pick<BulkJob, 'status_counts'>): string {
  const counts = Object.entries({ valid, invalid, risky, unknown })
  return counts.map(([status, count]) => `${status} ${formatCount(count)}`).join(', ')
}

function rangeOf({ earliest_at, latest_at }: { earliest_at: string; latest_at: string }, now: number): string {
  const [least, most] = [earliest_at, latest_at].map((time) => formatDuration(Date.parse(time) - now))
  return least === most ? `${least}` : `${least} to ${most}`
}

const DELAYS: Record<string, string> = {
  no_worker: 'no worker is running',
  under_review: 'an operator reviews the list',
}

function delayOf({ delay_reason: reason }: BulkJob): string[] {
  return reason === null ? [] : [`delayed: ${DELAYS[reason] ?? reason}`]
}

function waitsOf({ deferred }: BulkJob): string[] {
  return deferred.map(
    ({ reason, count, retry_at }) =>
      `waiting for ${formatCount(count)} ${reason.replaceAll('_', ' ')} until ${formatClock(new Date(retry_at))}`,
  )
}
