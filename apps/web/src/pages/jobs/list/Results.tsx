import type { BulkJob } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { RotateCw, SearchX } from 'lucide-react'
import { useScene } from '../../../session/scene.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { Pager } from '../../../ui/Pager.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../../ui/States.tsx'
import { isExpired, PAGE_SIZE, resultsQuery } from './queries.ts'
import { ResultDrawer } from './ResultDrawer.tsx'
import { ResultsDownload } from './ResultsDownload.tsx'
import { ResultsFilter } from './ResultsFilter.tsx'
import { ResultsTable } from './ResultsTable.tsx'
import { hasFilter, RESULTS_ID, useListSearch, withFilter } from './use-list-search.ts'

/** The results row by row, filtered and paged by the service. */
export function Results({ job }: { job: BulkJob }) {
  const { search } = useListSearch()
  const query = useQuery(resultsQuery(useScene(), job, search))
  if (isExpired(query.error)) return null
  return (
    <div id={RESULTS_ID}>
      <Card title={job.finished_at === null ? 'Results so far' : 'Results'} actions={<ResultsActions job={job} />}>
        <ResultsFilter job={job} />
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
      {hasFilter(search) && total > 0 && <ResultsDownload jobId={job.id} search={search} total={total} />}
    </>
  )
}

type ResultsState = ReturnType<
  typeof useQuery<{ results: Parameters<typeof ResultsTable>[0]['results']; total: number }>
>

function Found({ job, query }: { job: BulkJob; query: ResultsState }) {
  const { search, turn } = useListSearch()
  const { data, error, isPlaceholderData } = query
  if (data === undefined) {
    if (error === null) return <Skeleton lines={8} label="Loading the results" />
    return <ErrorState error={error} onRetry={() => void query.refetch()} what="The results could not be loaded" />
  }
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
        <ResultsTable results={results} />
      ) : (
        <EmptyState
          icon={<SearchX aria-hidden="true" />}
          title="No results match these filters"
          action={<Button onClick={() => turn((now) => withFilter(now, {}))}>Clear filters</Button>}
        />
      )}
      <Pager
        noun="results"
        skip={search.skip ?? 0}
        limit={PAGE_SIZE}
        total={total}
        onTurn={(skip) => turn(({ row: _, skip: __, ...now }) => (skip === 0 ? now : { ...now, skip }))}
      />
    </div>
  )
}

function foundIn(total: number, all: number, isFiltered: boolean): string {
  const found = formatCount(total, 'address', 'addresses')
  return isFiltered ? `${formatNumber(total)} of ${formatCount(all, 'address', 'addresses')} found.` : `${found}.`
}
