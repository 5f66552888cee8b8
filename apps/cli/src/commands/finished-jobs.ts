import type { JobComparison, ReportLink } from '@probity/sdk'
import { type Command, Option } from 'commander'
import { type ConfirmFlags, type CostFlags, confirmAction, confirmCost, findBalance } from '../confirm.ts'
import { writeStarted } from '../jobs/watch.ts'
import { formatCount, formatPairs } from '../output/format.ts'
import type { View } from '../output/output.ts'
import { createAction, openClient, type Run, type Stage } from '../run.ts'
import { addCostOptions, addExamples, addYes, formatTime, readCount } from './options.ts'

/** Commands for jobs that have ended. */
export function addFinished(jobs: Command, stage: Stage): void {
  addRerun(jobs, stage)
  addCompare(jobs, stage)
  addShare(jobs, stage)
}

type RerunFlags = CostFlags & { rows: 'all' | 'unknown'; watch?: boolean }

function addRerun(jobs: Command, stage: Stage): void {
  const rerun = jobs
    .command('rerun')
    .description('Validate the file of a job again, and confirm the cost. A table contains the id of the new job only.')
    .argument('<id>', 'id of a job that has ended')
    .addOption(new Option('--rows <rows>', 'rows to validate').choices(['all', 'unknown']).default('all'))
    .option('--watch', 'show the progress until the job ends')
  addCostOptions(rerun).action(createAction(stage, rerunJob))
  addExamples(rerun, [
    ['probity jobs rerun ID', 'Validate the whole file again.'],
    ['probity jobs rerun ID --rows unknown --max-credits 500', 'Validate the unknown addresses that can change again.'],
  ])
}

async function rerunJob(run: Run, flags: RerunFlags, earlierId: string): Promise<void> {
  const client = await openClient(run)
  const { rows } = flags
  const { livemode, row_count, unique_count, rerunnable_count } = await client.jobs.get(earlierId, {
    signal: run.signal,
  })
  const unique = rows === 'all' ? unique_count : rerunnable_count
  const balance = livemode ? await findBalance(run, client) : { available: undefined, unlimited: false }
  await confirmCost(run, { rows: row_count, unique, credits: livemode ? unique : 0, ...balance }, flags)
  const { id } = await client.jobs.rerun(earlierId, { rows })
  await writeStarted(run, client, { id, watch: flags.watch })
}

function addCompare(jobs: Command, stage: Stage): void {
  const compare = jobs
    .command('compare')
    .description('Compare the results of a job with those of an earlier one, by status and by address.')
    .argument('<id>', 'job id')
    .argument('<earlier>', 'id of the earlier job')
  compare.action(
    createAction(stage, async (run, _flags, id: string, earlierId: string) => {
      const client = await openClient(run)
      const comparison = await client.jobs.compare(id, earlierId, { signal: run.signal })
      await run.output.writeOne(comparison, formatComparison)
    }),
  )
  addExamples(compare, [['probity jobs compare ID EARLIER', 'Print what has changed since the earlier job.']])
}

/** By status, the addresses that are in both jobs; all of each job if they are too many to be matched. */
function formatComparison(comparison: JobComparison): string {
  const { changes } = comparison
  const { status_counts: now, with_status_counts: before } = changes ?? comparison
  const statuses = (['valid', 'risky', 'invalid', 'unknown'] as const).map((status): [string, string] => {
    return [status, `${formatCount(now[status])}, before ${formatCount(before[status])}`]
  })
  if (changes === null) return formatPairs(statuses)
  return formatPairs([
    ...statuses,
    ['in both', formatCount(changes.matched_count)],
    ['changed', formatCount(changes.changed_count)],
    ...changes.by_status.map(({ from, to, count }): [string, string] => [`${from} to ${to}`, formatCount(count)]),
    ['only now', formatCount(changes.added_count)],
    ['only before', formatCount(changes.removed_count)],
  ])
}

function addShare(jobs: Command, stage: Stage): void {
  const share = jobs
    .command('share')
    .description('Create a link to the report of a job, for readers without a login, and print it. It is shown once.')
    .argument('<id>', 'id of a job that has ended')
    .option('--days <n>', 'days until the link expires, at most 90', readCount, 30)
  share.action(
    createAction(stage, async (run, { days }: { days: number }, id: string) => {
      const client = await openClient(run)
      const link = await client.jobs.reportLinks.create(id, { expiresInDays: days })
      await run.output.writeOne(link, () => `${link.url}\n`)
    }),
  )
  addExamples(share, [['probity jobs share ID --days 7', 'Print a link that expires after a week.']])
  const links = jobs
    .command('links')
    .description('List the report links of a job that can be opened, without their URLs.')
    .argument('<id>', 'job id')
  links.action(
    createAction(stage, async (run, _flags, id: string) => {
      const client = await openClient(run)
      await run.output.writeAll(await client.jobs.reportLinks.list(id, { signal: run.signal }), LINKS_VIEW)
    }),
  )
  addExamples(links, [['probity jobs links ID', 'Print the ids and the expiry of the links.']])
  const unshare = jobs
    .command('unshare')
    .description('Revoke a report link of a job.')
    .argument('<id>', 'job id')
    .argument('<link>', 'link id')
  addYes(unshare).action(
    createAction(stage, async (run, flags: ConfirmFlags, id: string, linkId: string) => {
      await confirmAction(run, flags, `Report link ${linkId} will stop working permanently.`)
      await (await openClient(run)).jobs.reportLinks.revoke(id, linkId)
      await run.output.writeOne({ id: linkId, revoked: true }, () => `Revoked report link ${linkId}\n`)
    }),
  )
  addExamples(unshare, [['probity jobs unshare ID LINK', 'Revoke a link after a confirmation.']])
}

const LINKS_VIEW: View<ReportLink> = {
  columns: [
    { head: 'id', cell: ({ id }) => id },
    { head: 'created (UTC)', cell: ({ created_at }) => formatTime(created_at) },
    { head: 'expires (UTC)', cell: ({ expires_at }) => formatTime(expires_at) },
  ],
}
