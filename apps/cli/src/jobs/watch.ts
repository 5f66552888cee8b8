import { describeLines, readTimeLeft } from '@probity/contract/constants/texts/jobs'
import type { BulkJob, Probity } from '@probity/sdk'
import { CliError } from '../cli-error.ts'
import type { Tally } from '../commands/options.ts'
import { formatClock, formatCount, formatRate } from '../output/format.ts'
import type { Run } from '../run.ts'
import { openProgress, type ProgressStep } from '../terminal.ts'

/** Shows the progress of a job until it ends. Ctrl-C ends the command; the job continues. */
export async function watchJob({ terminal, signal }: Run, client: Probity, id: string): Promise<BulkJob> {
  const progress = await openProgress(terminal)
  try {
    return await client.jobs.wait(id, { signal, onProgress: (job) => progress.show(stepOf(job, Date.now())) })
  } catch (error) {
    if (!signal.aborted) throw error
    throw new CliError('interrupted', `The job continues. To watch it: probity jobs watch ${id}`)
  } finally {
    progress.stop()
  }
}

export function checkCompleted({ id, status }: BulkJob): void {
  if (status === 'completed') return
  throw new CliError('other', `The job is ${status}, so its results are incomplete.`, `probity jobs results ${id}`)
}

export function tallyOf({ done_count, status_counts, sub_status_counts }: BulkJob): Tally {
  return { total: done_count, counts: new Map(Object.entries({ ...sub_status_counts, ...status_counts })) }
}

export function formatCounts({ status_counts: counts }: Pick<BulkJob, 'status_counts'>): string {
  const { valid, invalid, risky, unknown } = counts
  return Object.entries({ valid, invalid, risky, unknown })
    .map(([status, count]) => `${status} ${formatCount(count)}`)
    .join(', ')
}

export function stepOf(job: BulkJob, now: number, timeZone?: string): ProgressStep {
  const { done_count: done, unique_count: total, rate_per_s, finished_at, status } = job
  const { work, wait } = readTimeLeft(job, { now, ...(timeZone && { timeZone }) })
  const pace = [
    ...(finished_at !== null || rate_per_s === 0 ? [] : [`, ${formatRate(rate_per_s)}`]),
    ...(work === null ? [] : [`, ${work}`]),
    ...(['processing', 'completed', 'paused'].includes(status) ? [] : [`, ${status}`]),
  ]
  const details = [...(wait === null ? [] : [wait]), formatCounts(job), ...formatDeferred(job)]
  return { done, total, pace: pace.join(''), details: details.join('; ') }
}

function formatDeferred({ deferred, finished_at }: BulkJob): string[] {
  if (finished_at !== null) return []
  return deferred.map(
    ({ reason, count, retry_at }) =>
      `${formatCount(count)} deferred (${reason.replaceAll('_', ' ')}), next attempt ${formatClock(new Date(retry_at))}`,
  )
}

type Started = { id: string; watch: boolean | undefined }

/** Writes a job that was just started: its id alone, or all of it after its end. */
export async function writeStarted(run: Run, client: Probity, { id, watch }: Started): Promise<void> {
  // The id alone, so that a script can use it.
  const format = () => `${id}\n`
  if (run.output.format === 'table' && !watch) return run.output.writeOne({ id }, format)
  const job = watch ? await watchJob(run, client, id) : await client.jobs.get(id)
  if (watch) run.terminal.note(`${describeLines(job)}.`)
  await run.output.writeOne(job, format)
  if (watch) checkCompleted(job)
}
