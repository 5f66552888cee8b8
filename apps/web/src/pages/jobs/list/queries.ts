import type { BulkJob, JobResult, ResultFilter } from '@probity/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { asRequestFailed } from '../../../session/client.ts'
import type { Scene } from '../../../session/workspace.ts'
import type { ListSearch } from '../search.ts'

export const PAGE_SIZES = [25, 50, 100] as const
const PAGE_SIZE_USUAL = 50

export function pageSizeOf({ limit }: ListSearch): number {
  return PAGE_SIZES.find((size) => size === limit) ?? PAGE_SIZE_USUAL
}

/** The columns by which the table can be sorted. */
const SORTS = ['status', 'sub_status', 'provider', 'deliverability', 'row'] as const
export type SortField = (typeof SORTS)[number]
export type Sort = { field: SortField; isDescending: boolean }

/** A link may name a field that cannot be sorted by. */
export function sortOf({ sort = 'row' }: ListSearch): Sort {
  const isDescending = sort.startsWith('-')
  const field = SORTS.find((one) => one === (isDescending ? sort.slice(1) : sort))
  return field ? { field, isDescending } : { field: 'row', isDescending: false }
}

export function jobQuery({ key, probity }: Scene, jobId: string) {
  return queryOptions({
    queryKey: [...key, 'list', jobId],
    queryFn: ({ signal }) => probity.jobs.get(jobId, { signal }),
    refetchInterval: ({ state }) => (state.data && isRerunning(state.data) ? RERUN_REFRESH_MS : false),
  })
}

const RERUN_REFRESH_MS = 2_000
/** A merge takes seconds once a worker runs. After this time the page no longer waits for it. */
const MERGED_WITHIN_MS = 600_000

/** Whether unknown addresses of the list are being validated again, or their results are about to be merged. */
export function isRerunning({ unknown_rerun: rerun }: Pick<BulkJob, 'unknown_rerun'>): boolean {
  if (rerun === null || rerun.merged_at !== null) return false
  return rerun.finished_at === null || Date.now() - Date.parse(rerun.finished_at) < MERGED_WITHIN_MS
}

/** The key contains the end of the list and the last merge, so that results are loaded again after them. */
export function nameOf({ key }: Scene, { id, finished_at, unknown_rerun }: BulkJob) {
  return [...key, 'list', id, finished_at ?? 'in progress', unknown_rerun?.merged_at ?? '']
}

export function breakdownQuery(scene: Scene, job: BulkJob) {
  return queryOptions({
    queryKey: [...nameOf(scene, job), 'breakdown'],
    queryFn: ({ signal }) => scene.probity.jobs.breakdown(job.id, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
}

/** The results are in the order of their rows without it. */
function sortParameter(search: ListSearch) {
  const { field, isDescending } = sortOf(search)
  if (field === 'row' && !isDescending) return {}
  return { sort: isDescending ? (`-${field}` as const) : field }
}

export function resultsQuery(scene: Scene, job: BulkJob, search: ListSearch) {
  const { skip = 0 } = search
  const page = { ...filterOf(search), ...sortParameter(search), skip, limit: pageSizeOf(search) }
  return queryOptions({
    queryKey: [...nameOf(scene, job), 'results', page],
    queryFn: async ({ signal }) => {
      const call = scene.probity.jobs.results.list(job.id, { ...page, signal })
      const { data, total } = await call
      return { results: data, total: total ?? data.length }
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
}

/** A row has several results if its cell has several addresses. */
export type ResultPlace = { row: number; position?: number | undefined }

export function keyOfResult({ row, position }: Pick<JobResult, 'row' | 'position'>): string {
  return `${row}.${position}`
}

export function resultQuery(scene: Scene, job: BulkJob, { row, position }: ResultPlace) {
  return queryOptions({
    queryKey: [...nameOf(scene, job), 'result', row, position ?? null],
    queryFn: ({ signal }) => scene.probity.jobs.results.get(job.id, row, { position, signal }),
    staleTime: 60_000,
  })
}

type Filter = Pick<ResultFilter, 'status' | 'subStatus' | 'provider' | 'domain' | 'search'>

/** The filters of the URL as API parameters. */
export function filterOf({ status, sub_status: subStatus, provider, domain, search }: ListSearch): Filter {
  return { status, subStatus, provider, domain, search }
}

/** Whether the results have expired and were deleted. */
export function isExpired(error: unknown): boolean {
  return error !== null && error !== undefined && asRequestFailed(error).code === 'results_expired'
}
