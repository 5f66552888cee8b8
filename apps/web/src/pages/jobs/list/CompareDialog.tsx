import type { BulkJob, JobComparison } from '@probity/sdk'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useState } from 'react'
import { totalOf, VERDICTS, VerdictBadge } from '../../../labels/verdict.tsx'
import { type Scene, useScene } from '../../../session/workspace.ts'
import { Callout } from '../../../ui/Callout.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, SelectInput } from '../../../ui/Field.tsx'
import { formatCount, formatDateTime, formatNumber } from '../../../ui/format.ts'
import { EmptyState, PageFrame } from '../../../ui/States.tsx'
import { type Column, DataTable } from '../../../ui/Table.tsx'
import { nameOf } from './queries.ts'

/** Compares a list with an earlier one of the same file name. */
export function CompareDialog({ job, onClose }: { job: BulkJob; onClose(): void }) {
  const earlier = useQuery(earlierQuery(useScene(), job))
  return (
    <Dialog open wide onClose={onClose} title="Compare with an earlier list" about={job.name}>
      <PageFrame
        query={earlier}
        failed="The earlier lists could not be loaded"
        loading="Loading earlier lists"
        empty={{ when: (lists) => lists.length === 0, state: <NoEarlierList filename={job.filename} /> }}
      >
        {(lists) => <Comparison job={job} lists={lists} />}
      </PageFrame>
    </Dialog>
  )
}

function NoEarlierList({ filename }: { filename: string }) {
  return (
    <EmptyState icon={<History aria-hidden="true" />} title="No earlier list">
      There is no earlier list with results from a file named “{filename}”.
    </EmptyState>
  )
}

function Comparison({ job, lists }: { job: BulkJob; lists: BulkJob[] }) {
  const [chosen, setChosen] = useState(lists.find(({ id }) => id === job.rerun_of)?.id ?? lists[0]?.id ?? '')
  const comparison = useQuery(comparisonQuery(useScene(), job, chosen))
  return (
    <div className="flex flex-col gap-5">
      <Field label="Earlier list">
        {(ids) => (
          <SelectInput {...ids} value={chosen} onChange={({ target }) => setChosen(target.value)}>
            {lists.map(({ id, name, created_at }) => (
              <option key={id} value={id}>
                {formatDateTime(created_at)}, {name}
              </option>
            ))}
          </SelectInput>
        )}
      </Field>
      <PageFrame query={comparison} failed="The lists could not be compared" loading="Comparing the lists" lines={6}>
        {(data) => <Compared data={data} />}
      </PageFrame>
    </div>
  )
}

/** The addresses that both lists have: others would look like lost or new verdicts. */
function Compared({ data }: { data: JobComparison }) {
  const { changes } = data
  if (changes === null) {
    return (
      <>
        <CountsTable counts={data} />
        <Callout title="Changed addresses are not counted.">
          The results of one of the lists have expired, or it has more than 200,000 results. The table has all results
          of both lists.
        </Callout>
      </>
    )
  }
  const { matched_count: matched, changed_count: changed, added_count: added, removed_count: removed } = changes
  return (
    <>
      <div>
        <p className="font-medium">
          {formatCount(matched, 'address is', 'addresses are')} in both lists; {formatNumber(changed)} changed their
          verdict.
        </p>
        <p className="text-soft">
          Only in this list: {formatNumber(added)}. Only in the earlier list: {formatNumber(removed)}.
        </p>
      </div>
      {matched > 0 && <CountsTable counts={changes} />}
      {changes.by_status.length > 0 && (
        <DataTable
          caption="Changed verdicts"
          columns={CHANGE_COLUMNS}
          rows={changes.by_status}
          keyOf={({ from, to }) => `${from} ${to}`}
        />
      )}
    </>
  )
}

type Counts = Pick<JobComparison, 'status_counts' | 'with_status_counts'>

function CountsTable({ counts }: { counts: Counts }) {
  return (
    <DataTable
      caption="Addresses by verdict, before and now"
      columns={columnsOf(counts)}
      rows={VERDICTS}
      keyOf={(status) => status}
    />
  )
}

type Verdict = (typeof VERDICTS)[number]

const columnsOf = ({ status_counts: now, with_status_counts: before }: Counts): Column<Verdict>[] => [
  { head: 'Verdict', cell: (status) => <VerdictBadge status={status} /> },
  { head: 'Before', align: 'end', cell: (status) => formatNumber(before[status]) },
  { head: 'Now', align: 'end', cell: (status) => formatNumber(now[status]) },
  {
    head: 'Difference',
    align: 'end',
    className: 'text-soft',
    cell: (status) => SIGNED.format(now[status] - before[status]),
  },
]

const SIGNED = new Intl.NumberFormat('en-GB', { signDisplay: 'exceptZero' })

type ChangesOf = NonNullable<JobComparison['changes']>

const CHANGE_COLUMNS: Column<ChangesOf['by_status'][number]>[] = [
  { head: 'Before', cell: ({ from }) => <VerdictBadge status={from} /> },
  { head: 'Now', cell: ({ to }) => <VerdictBadge status={to} /> },
  { head: 'Addresses', align: 'end', cell: ({ count }) => formatNumber(count) },
]

const EARLIER_MAX = 100

/** Earlier lists with results from a file of the same name, newest first. */
function earlierQuery({ key, probity }: Scene, { id, filename, created_at }: BulkJob) {
  return queryOptions({
    queryKey: [...key, 'list', id, 'earlier'],
    queryFn: async ({ signal }) => {
      const { data } = await probity.jobs.list({ search: filename, limit: EARLIER_MAX, unknownReruns: false, signal })
      const isEarlier = (list: BulkJob) => list.id !== id && list.created_at <= created_at
      return data.filter((list) => isEarlier(list) && list.filename === filename && totalOf(list.status_counts) > 0)
    },
  })
}

function comparisonQuery(scene: Scene, job: BulkJob, earlierId: string) {
  return queryOptions({
    queryKey: [...nameOf(scene, job), 'comparison', earlierId],
    queryFn: ({ signal }) => scene.probity.jobs.compare(job.id, earlierId, { signal }),
    staleTime: 60_000,
  })
}
