import type { BulkJob, JobResult } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { Download, RotateCw, SearchX } from 'lucide-react'
import { memo, useEffect } from 'react'
import { type UseFormRegisterReturn, useForm } from 'react-hook-form'
import { VERDICTS, VerdictBadge, verdictLook } from '../../../labels/verdict.tsx'
import { useScene } from '../../../session/workspace.ts'
import type { Tone } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Field, SelectInput, TextInput } from '../../../ui/Field.tsx'
import { formatCount, formatNumber, formatShare } from '../../../ui/format.ts'
import { EmptyState, ErrorState, PageFrame } from '../../../ui/States.tsx'
import { type Column, DataTable, Pager } from '../../../ui/Table.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { type Recommendation, useRecommend } from '../../validations/result/recommendation.ts'
import type { ListSearch } from '../search.ts'
import { useDownload } from './download.ts'
import { providerWord, reasonWord } from './job-labels.ts'
import { breakdownQuery, filterOf, isExpired, pageSizeOf, resultsQuery } from './queries.ts'
import { ResultDrawer } from './ResultDrawer.tsx'
import {
  hasFilter,
  PlainLink,
  RESULTS_ID,
  useListSearch,
  useRowHref,
  useUpdateSearch,
  withFilter,
} from './SearchLink.tsx'

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
        limit={pageSizeOf(search)}
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

/** Downloads the results that match the filters. */
function ResultsDownload({ jobId, search, total }: { jobId: string; search: ListSearch; total: number }) {
  const { download, start } = useDownload(jobId)
  const toasts = useToasts()
  useEffect(() => {
    if (download.kind === 'done') toasts.done(`${download.name} downloaded.`)
    if (download.kind === 'failed') toasts.failed(`The file could not be downloaded. ${download.error.message}`)
  }, [download, toasts])
  return (
    <Button
      size="sm"
      busy={download.kind === 'busy'}
      icon={<Download className="size-4" aria-hidden="true" />}
      onClick={() => void start({ format: 'csv', ...filterOf(search) })}
    >
      Download {formatCount(total, 'result')}
    </Button>
  )
}

/** The empty string is the value for unknown providers, so no filter needs another one. */
const ANY = '*'

type Fields = { search: string; status: string; sub_status: string; provider: string; domain: string }

/** The filters of the table. Selections change the URL at once, typed text on Enter. */
function ResultsFilter({ job }: { job: BulkJob }) {
  const { search, turn } = useListSearch()
  const { register, handleSubmit } = useForm<Fields>({ values: fieldsOf(search) })
  const apply = handleSubmit((fields) => turn((now) => withFilter(now, filterIn(fields))))
  return (
    <form
      aria-label="Filter the results"
      onSubmit={(event) => void apply(event)}
      className="mb-4 grid grid-cols-1 items-end gap-3 sm:grid-cols-2 lg:grid-cols-[2fr_1fr_1.4fr_1.2fr_1.4fr_auto]"
    >
      <Field label="Address contains">
        {(ids) => <TextInput {...ids} {...register('search')} type="search" maxLength={320} />}
      </Field>
      <Choices job={job} search={search} register={(name) => register(name, { onChange: () => void apply() })} />
      <Field label="Domain">
        {(ids) => <TextInput {...ids} {...register('domain')} type="search" maxLength={255} />}
      </Field>
      <div className="flex gap-2">
        <Button type="submit">Filter</Button>
        {hasFilter(search) && (
          <Button look="quiet" onClick={() => turn((now) => withFilter(now, {}))}>
            Clear
          </Button>
        )}
      </div>
    </form>
  )
}

function fieldsOf({ search = '', status = ANY, sub_status = ANY, provider = ANY, domain = '' }: ListSearch): Fields {
  return { search, status, sub_status, provider, domain }
}

function filterIn({ search, domain, status, sub_status, provider }: Fields): ListSearch {
  return {
    ...(search.trim() !== '' && { search: search.trim() }),
    ...(domain.trim() !== '' && { domain: domain.trim() }),
    ...(status !== ANY && { status }),
    ...(sub_status !== ANY && { sub_status }),
    ...(provider !== ANY && { provider }),
  }
}

type Chosen = 'status' | 'sub_status' | 'provider'
type ChoicesProps = { job: BulkJob; search: ListSearch; register(name: Chosen): UseFormRegisterReturn }

/** Reasons and providers are those that occur in this list. */
function Choices({ job, search, register }: ChoicesProps) {
  const { data } = useQuery(breakdownQuery(useScene(), job))
  const reasons = [...new Set(data?.by_reason.map((row) => row.sub_status).filter((reason) => reason !== ''))]
  const providers = data?.by_provider.map((row) => row.provider) ?? []
  return (
    <>
      <Choice label="Verdict" field={register('status')} chosen={search.status} values={[...VERDICTS]}>
        {(statuses) => wordsOf(statuses, (status) => verdictLook(status).word)}
      </Choice>
      <Choice label="Reason" field={register('sub_status')} chosen={search.sub_status} values={reasons}>
        {(reason) => wordsOf(reason, reasonWord)}
      </Choice>
      <Choice label="Provider" field={register('provider')} chosen={search.provider} values={providers}>
        {providerWord}
      </Choice>
    </>
  )
}

/** A link may contain several values, separated by commas. */
function wordsOf(values: string, word: (value: string) => string): string {
  return values.split(',').map(word).join(', ')
}

type ChoiceProps = {
  label: string
  field: UseFormRegisterReturn
  chosen: string | undefined
  values: string[]
  children(value: string): string
}

function Choice({ label, field, chosen, values, children }: ChoiceProps) {
  // The URL may contain a value that does not occur in this list; it is shown anyway.
  const all = chosen === undefined || values.includes(chosen) ? values : [chosen, ...values]
  return (
    <Field label={label}>
      {(ids) => (
        <SelectInput {...ids} {...field}>
          <option value={ANY}>Any</option>
          {all.map((value) => (
            <option key={value} value={value}>
              {children(value)}
            </option>
          ))}
        </SelectInput>
      )}
    </Field>
  )
}

type Place = { hrefOf(row: number): string; open(row: number): void }

const columnsAt = (place: Place, recommend: (result: JobResult) => Recommendation): Column<JobResult>[] => [
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
  { head: 'Verdict', cell: ({ status }) => <VerdictBadge status={status} /> },
  { head: 'Reason', className: 'text-soft', cell: (result) => reasonWord(result.sub_status) },
  { head: 'Provider', className: 'text-soft', cell: ({ provider }) => providerWord(provider) },
  { head: 'Deliverability', align: 'end', cell: ({ deliverability }) => formatShare(deliverability) },
  {
    head: 'Recommendation',
    cell: (result) => <Recommended recommendation={recommend(result)} />,
  },
  { head: 'Row', align: 'end', className: 'text-faint', cell: ({ row }) => formatNumber(row) },
]

/** One page of results. Memoized, since opening a result does not change it. */
const ResultsTable = memo(function ResultsTable({ results }: { results: JobResult[] }) {
  const turn = useUpdateSearch()
  const recommend = useRecommend()
  const place: Place = { hrefOf: useRowHref(), open: (row) => turn((now) => ({ ...now, row })) }
  return (
    <DataTable
      caption="Results"
      columns={columnsAt(place, recommend)}
      rows={results}
      keyOf={({ row }) => row}
      card={(result) => (
        <>
          <ResultLink result={result} place={place} />
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
      )}
    />
  )
})

function ResultLink({ result: { email, row }, place }: { result: JobResult; place: Place }) {
  return (
    <PlainLink
      href={place.hrefOf(row)}
      onFollow={() => place.open(row)}
      className="inline-flex min-h-6 items-center font-medium [overflow-wrap:anywhere] underline-offset-4 hover:underline pointer-coarse:min-h-10"
    >
      {email}
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
