import type { BulkJob, ResultFilter } from '@probity/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { asRequestFailed } from '../../../session/client.ts'
import type { Scene } from '../../../session/workspace.ts'
import type { ListSearch } from '../search.ts'

const PAGE_SIZE = 50

export function pageSizeOf(_search: ListSearch): number {
  return PAGE_SIZE
}

export function jobQuery({ key, probity }: Scene, jobId: string) {
  return queryOptions({
    queryKey: [...key, 'list', jobId],
    queryFn: ({ signal }) => probity.jobs.get(jobId, { signal }),
  })
}

/** The key contains the end of the list, so that results are loaded again once it is finished. */
function nameOf({ key }: Scene, { id, finished_at }: BulkJob) {
  return [...key, 'list', id, finished_at ?? 'in progress']
}

export function breakdownQuery(scene: Scene, job: BulkJob) {
  return queryOptions({
    queryKey: [...nameOf(scene, job), 'breakdown'],
    queryFn: ({ signal }) => scene.probity.jobs.breakdown(job.id, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
}

export function resultsQuery(scene: Scene, job: BulkJob, search: ListSearch) {
  const { skip = 0 } = search
  const filter = filterOf(search)
  return queryOptions({
    queryKey: [...nameOf(scene, job), 'results', filter, skip],
    queryFn: async ({ signal }) => {
      const call = scene.probity.jobs.results.list(job.id, { ...filter, skip, limit: pageSizeOf(search), signal })
      const { data, total } = await call
      return { results: data, total: total ?? data.length }
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
}

export function resultQuery({ key, probity }: Scene, jobId: string, row: number) {
  return queryOptions({
    queryKey: [...key, 'list', jobId, 'result', row],
    queryFn: ({ signal }) => probity.jobs.results.get(jobId, row, { signal }),
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
