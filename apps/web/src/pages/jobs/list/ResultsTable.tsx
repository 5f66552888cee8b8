import type { JobResult } from '@probity/sdk'
import { clsx } from 'clsx'
import { memo } from 'react'
import { VerdictBadge } from '../../../labels/verdict.tsx'
import type { Tone } from '../../../ui/Badge.tsx'
import { formatNumber, formatShare } from '../../../ui/format.ts'
import { type Column, type ColumnSort, DataTable } from '../../../ui/Table.tsx'
import { type Recommendation, useRecommend } from '../../validations/result/recommendation.ts'
import { withoutResult } from '../search.ts'
import { providerWord, reasonWord } from './job-labels.ts'
import { keyOfResult, type Sort, type SortField } from './queries.ts'
import { PlainLink, placeOf, useResultHref, useUpdateSearch } from './SearchLink.tsx'

/** The selected results of a page, by their keys. */
export type Selection = {
  keys: ReadonlySet<string>
  toggle(key: string): void
  /** Selects all results, or none if all are selected. */
  toggleAll(): void
}

type ResultsTableProps = { results: JobResult[]; sort: Sort; selection: Selection }

type Context = {
  place: { hrefOf(result: JobResult): string; open(result: JobResult): void }
  recommend(result: JobResult): Recommendation
  sortBy(field: SortField): ColumnSort
  selection: Selection
  areAllSelected: boolean
}

/** One page of results. Memoized, since opening a result does not change it. */
export const ResultsTable = memo(function ResultsTable({ results, sort, selection }: ResultsTableProps) {
  const turn = useUpdateSearch()
  const recommend = useRecommend()
  const place = {
    hrefOf: useResultHref(),
    open: (result: JobResult) => turn((now) => ({ ...withoutResult(now), ...placeOf(result) })),
  }
  const sortBy = (field: SortField): ColumnSort => {
    const isSorted = sort.field === field
    const direction = isSorted ? (sort.isDescending ? 'descending' : 'ascending') : undefined
    return {
      direction,
      onSort: () => turn(({ skip: _, ...now }) => ({ ...withoutResult(now), sort: nextSort(field, direction) })),
    }
  }
  const areAllSelected = results.length > 0 && results.every((result) => selection.keys.has(keyOfResult(result)))
  const context: Context = { place, recommend, sortBy, selection, areAllSelected }
  return (
    <DataTable
      caption="Results"
      columns={columnsIn(context)}
      rows={results}
      keyOf={(result) => keyOfResult(result)}
      card={(result) => <ResultCard result={result} {...context} />}
    />
  )
})

/** A second click reverses the order. */
function nextSort(field: SortField, direction: ColumnSort['direction']): string {
  return direction === 'ascending' ? `-${field}` : field
}

const columnsIn = ({ place, recommend, sortBy, selection, areAllSelected }: Context): Column<JobResult>[] => [
  {
    head: (
      <SelectBox
        label="Select all results on this page"
        isSelected={areAllSelected}
        isPartial={!areAllSelected && selection.keys.size > 0}
        onToggle={selection.toggleAll}
      />
    ),
    headClassName: 'w-8',
    cell: (result) => <SelectRow result={result} selection={selection} />,
  },
  {
    head: 'Address',
    className: 'max-w-xs [overflow-wrap:anywhere]',
    cell: (result) => (
      <>
        <ResultLink result={result} place={place} />
        <Suggestion result={result} />
      </>
    ),
  },
  { head: 'Verdict', sort: sortBy('status'), cell: ({ status }) => <VerdictBadge status={status} /> },
  {
    head: 'Reason',
    sort: sortBy('sub_status'),
    className: 'text-soft',
    cell: (result) => reasonWord(result.sub_status),
  },
  {
    head: 'Provider',
    sort: sortBy('provider'),
    headClassName: 'max-lg:hidden',
    className: 'text-soft max-lg:hidden',
    cell: ({ provider }) => providerWord(provider),
  },
  {
    head: 'Deliverability',
    sort: sortBy('deliverability'),
    align: 'end',
    cell: ({ deliverability }) => formatShare(deliverability),
  },
  { head: 'Recommendation', cell: (result) => <Recommended recommendation={recommend(result)} /> },
  {
    head: 'Row',
    sort: sortBy('row'),
    align: 'end',
    className: 'text-faint',
    cell: ({ row }) => formatNumber(row),
  },
]

function ResultCard({ result, place, recommend, selection }: Context & { result: JobResult }) {
  return (
    <>
      <div className="flex items-start gap-2.5">
        <SelectRow result={result} selection={selection} />
        <ResultLink result={result} place={place} />
      </div>
      <Suggestion result={result} />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[0.8125rem] text-soft">
        <VerdictBadge status={result.status} />
        <span>{reasonWord(result.sub_status)}</span>
        <Recommended recommendation={recommend(result)} />
      </div>
      <p className="text-[0.8125rem] text-faint tabular-nums">
        {providerWord(result.provider)} · deliverability {formatShare(result.deliverability)} · row{' '}
        {formatNumber(result.row)}
      </p>
    </>
  )
}

function SelectRow({ result, selection }: { result: JobResult; selection: Selection }) {
  const { row, email } = result
  const key = keyOfResult(result)
  return (
    <SelectBox
      label={`Select ${email === '' ? `row ${formatNumber(row)}` : email}`}
      isSelected={selection.keys.has(key)}
      onToggle={() => selection.toggle(key)}
    />
  )
}

type SelectBoxProps = { label: string; isSelected: boolean; isPartial?: boolean; onToggle(): void }

function SelectBox({ label, isSelected, isPartial = false, onToggle }: SelectBoxProps) {
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={isSelected}
      ref={(box) => {
        if (box) box.indeterminate = isPartial
      }}
      onChange={onToggle}
      className="my-1 block size-4.5 shrink-0 accent-accent pointer-coarse:size-6"
    />
  )
}

function ResultLink({ result, place }: { result: JobResult; place: Context['place'] }) {
  return (
    <PlainLink
      href={place.hrefOf(result)}
      onFollow={() => place.open(result)}
      className="inline-flex min-h-6 items-center font-medium [overflow-wrap:anywhere] underline-offset-4 hover:underline pointer-coarse:min-h-10"
    >
      {result.email}
    </PlainLink>
  )
}

const TEXT_TONES: Record<Tone, string> = {
  valid: 'text-valid',
  invalid: 'text-invalid',
  risky: 'text-risky',
  unknown: 'text-soft',
  accent: 'text-accent-text',
}

function Recommended({ recommendation: { word, tone, why } }: { recommendation: Recommendation }) {
  return (
    <span title={why === '' ? undefined : why} className={clsx('whitespace-nowrap', TEXT_TONES[tone])}>
      {word}
    </span>
  )
}

function Suggestion({ result: { did_you_mean } }: { result: JobResult }) {
  if (did_you_mean === null) return null
  return <p className="text-[0.8125rem] text-faint">Did you mean {did_you_mean}?</p>
}
