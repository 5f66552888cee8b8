import type { BulkJob, JobResult } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { Download, RotateCw, SearchX } from 'lucide-react'
import { useId, useMemo, useState } from 'react'
import { useScene } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { SelectInput } from '../../../ui/Field.tsx'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { EmptyState, ErrorState, PageFrame } from '../../../ui/States.tsx'
import { Pager } from '../../../ui/Table.tsx'
import { type ListSearch, withoutResult } from '../search.ts'
import { readFileForm, sheetOf } from './download.ts'
import { filterOf, isExpired, keyOfResult, PAGE_SIZES, pageSizeOf, resultsQuery, sortOf } from './queries.ts'
import { ResultDrawer } from './ResultDrawer.tsx'
import { FilterButton, ResultsFilter } from './ResultsFilter.tsx'
import { ResultsTable, type Selection } from './ResultsTable.tsx'
import { hasFilter, RESULTS_ID, useListSearch, withFilter } from './SearchLink.tsx'
import { SelectionBar } from './SelectionBar.tsx'
import { useResultsDownload } from './use-results-download.ts'

/** The results row by row, filtered, sorted and paged by the service. */
export function Results({ job }: { job: BulkJob }) {
  const { search } = useListSearch()
  const query = useQuery(resultsQuery(useScene(), job, search))
  const [isFilterOpen, setFilterOpen] = useState(false)
  if (isExpired(query.error)) return null
  return (
    <div id={RESULTS_ID}>
      <Card
        title={job.finished_at === null ? 'Results so far' : 'Results'}
        actions={
          <>
            <ResultsActions job={job} />
            <FilterButton isOpen={isFilterOpen} onToggle={() => setFilterOpen(!isFilterOpen)} />
          </>
        }
      >
        <ResultsFilter job={job} isOpen={isFilterOpen} />
        <Found job={job} query={query} />
      </Card>
      <ResultDrawer job={job} />
    </div>
  )
}

/** While the list is in progress, the table is refreshed on demand only, so that rows do not move while a user reads them. */
function ResultsActions({ job }: { job: BulkJob }) {
  const { search } = useListSearch()
  const query = useQuery(resultsQuery(useScene(), job, search))
  const total = query.data?.total ?? 0
  return (
    <>
      {job.finished_at === null && (
        <Button
          size="sm"
          look="quiet"
          busy={query.isFetching}
          icon={<RotateCw className="size-4" aria-hidden="true" />}
          onClick={() => void query.refetch()}
        >
          Refresh results
        </Button>
      )}
      {hasFilter(search) && total > 0 && <FilteredDownload job={job} search={search} total={total} />}
    </>
  )
}

/** Downloads the results that match the filters. */
function FilteredDownload({ job, search, total }: { job: BulkJob; search: ListSearch; total: number }) {
  const { isBusy, start } = useResultsDownload(job.id)
  return (
    <Button
      size="sm"
      busy={isBusy}
      icon={<Download className="size-4" aria-hidden="true" />}
      onClick={() => start({ ...sheetOf(readFileForm(job.filename)), unique: true, ...filterOf(search) })}
    >
      <span>
        Download {formatNumber(total)} <span className="max-sm:sr-only">{total === 1 ? 'result' : 'results'}</span>
      </span>
    </Button>
  )
}

type ResultsState = ReturnType<typeof useQuery<{ results: JobResult[]; total: number }>>

function Found({ job, query }: { job: BulkJob; query: ResultsState }) {
  const { search, turn } = useListSearch()
  const { data, error, isPlaceholderData } = query
  if (data === undefined)
    return <PageFrame query={query} failed="The results could not be loaded" loading="Loading the results" lines={8} />
  const { results, total } = data
  return (
    <div className={clsx('transition-opacity', isPlaceholderData && 'opacity-60')} aria-busy={isPlaceholderData}>
      <p role="status" className="mb-2 text-[0.8125rem] text-soft tabular-nums">
        {!isPlaceholderData && foundIn(total, job.done_count, hasFilter(search))}
      </p>
      {error !== null && (
        <ErrorState error={error} onRetry={() => void query.refetch()} what="These results could not be loaded" />
      )}
      {results.length > 0 ? (
        <SelectableResults job={job} results={results} />
      ) : (
        <EmptyState
          icon={<SearchX aria-hidden="true" />}
          title="No results match these filters"
          action={<Button onClick={() => turn((now) => withFilter(now, {}))}>Clear filters</Button>}
        />
      )}
      {total > 0 && <PageTools total={total} />}
    </div>
  )
}

function foundIn(total: number, all: number, isFiltered: boolean): string {
  const found = formatCount(total, 'address', 'addresses')
  return isFiltered ? `${formatNumber(total)} of ${formatCount(all, 'address', 'addresses')} found.` : `${found}.`
}

const NONE: ReadonlySet<string> = new Set()

/** The selected results of a page. Another page, filter or order starts without a selection. */
function useSelection(page: string, results: JobResult[]) {
  const [chosen, setChosen] = useState({ page, keys: NONE })
  const keys = chosen.page === page ? chosen.keys : NONE
  const selection = useMemo<Selection>(
    () => ({
      keys,
      toggle: (key) => setChosen({ page, keys: toggled(keys, key) }),
      toggleAll: () =>
        setChosen({ page, keys: keys.size === results.length ? NONE : new Set(results.map(keyOfResult)) }),
    }),
    [page, keys, results],
  )
  const selected = results.filter((result) => keys.has(keyOfResult(result)))
  return { selection, selected, clear: () => setChosen({ page, keys: NONE }) }
}

function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys)
  if (!next.delete(key)) next.add(key)
  return next
}

function SelectableResults({ job, results }: { job: BulkJob; results: JobResult[] }) {
  const { tab: _, ...page } = withoutResult(useListSearch().search)
  const { sort: sortText } = page
  const sort = useMemo(() => sortOf(sortText === undefined ? {} : { sort: sortText }), [sortText])
  const { selection, selected, clear } = useSelection(JSON.stringify(page), results)
  return (
    <>
      {selected.length > 0 && <SelectionBar job={job} selected={selected} onClear={clear} />}
      <ResultsTable results={results} sort={sort} selection={selection} />
    </>
  )
}

const SORT_CHOICES = [
  ['row', 'Row'],
  ['status', 'Verdict'],
  ['-deliverability', 'Highest deliverability'],
  ['deliverability', 'Lowest deliverability'],
] as const

/** Page size and pages. Phones have no column heads, so they sort here. */
function PageTools({ total }: { total: number }) {
  const { search, turn } = useListSearch()
  const size = pageSizeOf(search)
  const change = (changes: ListSearch) => turn(({ skip: _, ...now }) => ({ ...withoutResult(now), ...changes }))
  return (
    <>
      <Pager
        noun="results"
        skip={search.skip ?? 0}
        limit={size}
        total={total}
        onTurn={(skip) => change(skip === 0 ? {} : { skip })}
      />
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2 pt-3 text-[0.8125rem] text-soft">
        {total > PAGE_SIZES[0] && (
          <PageChoice
            label="Results per page"
            value={String(size)}
            choices={PAGE_SIZES.map((choice) => [String(choice), String(choice)])}
            onChange={(value) => change({ limit: Number(value) })}
          />
        )}
        <div className="sm:hidden">
          <PageChoice
            label="Sort by"
            value={search.sort ?? 'row'}
            choices={SORT_CHOICES}
            onChange={(sort) => change({ sort })}
          />
        </div>
      </div>
    </>
  )
}

type PageChoiceProps = {
  label: string
  value: string
  choices: readonly (readonly [value: string, word: string])[]
  onChange(value: string): void
}

function PageChoice({ label, value, choices, onChange }: PageChoiceProps) {
  const id = useId()
  return (
    <div className="flex items-center gap-2">
      <label htmlFor={id}>{label}</label>
      <SelectInput id={id} value={value} onChange={({ target }) => onChange(target.value)} className="w-auto!">
        {choices.map(([choice, word]) => (
          <option key={choice} value={choice}>
            {word}
          </option>
        ))}
      </SelectInput>
    </div>
  )
}
