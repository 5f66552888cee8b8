import { STATUSES } from '@probity/contract/constants/validations'
import type { BulkJob } from '@probity/sdk'
import { Download as DownloadIcon } from 'lucide-react'
import { Donut } from '../../../charts/Donut.tsx'
import { totalOf, VERDICT_COLORS, VERDICTS, VerdictBadge, verdictLook } from '../../../labels/verdict.tsx'
import { IconButton } from '../../../ui/Button.tsx'
import { formatNumber, formatShare } from '../../../ui/format.ts'
import { type Column, DataTable } from '../../../ui/Table.tsx'
import { readFileForm, sheetOf } from './download.ts'
import { capitalised, outcomeOf } from './job-labels.ts'
import { FilterLink, useUpdateSearch, withFilter } from './SearchLink.tsx'
import { useResultsDownload } from './use-results-download.ts'

type Verdict = (typeof VERDICTS)[number]

/** The number of each verdict, as a chart and as a table. */
export function Verdicts({ job, caption, linked = true }: { job: BulkJob; caption: string; linked?: boolean }) {
  const counts = job.status_counts
  const turn = useUpdateSearch()
  const slices = VERDICTS.map((status) => ({
    name: verdictLook(status).word,
    count: counts[status],
    color: VERDICT_COLORS[status],
    ...(linked && { onChoose: () => turn((now) => withFilter(now, { status })) }),
  }))
  return (
    <figure className="flex flex-col items-center gap-x-8 gap-y-4 md:flex-row">
      <figcaption className="sr-only">{caption}</figcaption>
      <Donut slices={slices} noun="addresses" summary={outcomeOf(job)} />
      <DataTable
        caption={caption}
        className="w-full min-w-0 flex-1"
        columns={columnsOf(job, linked)}
        rows={VERDICTS}
        keyOf={(status) => status}
      />
    </figure>
  )
}

function columnsOf(job: BulkJob, linked: boolean): Column<Verdict>[] {
  const counts = job.status_counts
  const total = totalOf(counts)
  return [
    {
      head: 'Verdict',
      cell: (status) => (
        <>
          {linked && counts[status] > 0 ? <VerdictLink status={status} /> : <VerdictBadge status={status} />}
          <p className="mt-1 text-xs text-faint sm:hidden">{verdictLook(status).advice}</p>
        </>
      ),
    },
    { head: 'Addresses', align: 'end', cell: (status) => formatNumber(counts[status]) },
    {
      head: 'Share',
      align: 'end',
      className: 'text-soft',
      cell: (status) => formatShare(total === 0 ? 0 : counts[status] / total),
    },
    {
      head: 'Meaning',
      headClassName: 'max-md:hidden',
      className: 'max-w-xs text-soft max-md:hidden',
      cell: (status) => capitalised(STATUSES[status]),
    },
    {
      head: 'Recommendation',
      headClassName: 'max-sm:hidden',
      className: 'whitespace-nowrap max-sm:hidden',
      cell: (status) => verdictLook(status).advice,
    },
    ...(linked ? [downloadColumn(job)] : []),
  ]
}

function downloadColumn(job: BulkJob): Column<Verdict> {
  return {
    head: 'Download',
    isHeadHidden: true,
    align: 'end',
    className: 'w-px',
    cell: (status) => job.status_counts[status] > 0 && <VerdictDownload job={job} status={status} />,
  }
}

/** Downloads the rows with one verdict, one row per address. */
function VerdictDownload({ job, status }: { job: BulkJob; status: Verdict }) {
  const { isBusy, start } = useResultsDownload(job.id)
  return (
    <IconButton
      label={`Download ${formatNumber(job.status_counts[status])} ${status}`}
      size="sm"
      busy={isBusy}
      onClick={() => start({ ...sheetOf(readFileForm(job.filename)), status, unique: true })}
    >
      <DownloadIcon aria-hidden="true" />
    </IconButton>
  )
}

function VerdictLink({ status }: { status: string }) {
  return (
    <FilterLink
      filter={{ status }}
      className="inline-flex min-h-6 items-center rounded-full underline-offset-4 hover:underline"
      title={`Show ${status} results`}
    >
      <VerdictBadge status={status} />
    </FilterLink>
  )
}
