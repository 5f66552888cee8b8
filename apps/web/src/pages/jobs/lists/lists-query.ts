import type { BulkJob, Upload } from '@probity/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { rolesFor, type Scene } from '../../../session/workspace.ts'
import type { Cells, ListsSearch } from '../search.ts'

export const LISTS_PER_PAGE = 20
const REFRESH_MS = 3_000

export function listsQuery({ key, probity }: Scene, { skip = 0, status, search, tag }: ListsSearch) {
  return queryOptions({
    queryKey: [...key, 'lists', 'page', { skip, status, search, tag }],
    queryFn: async ({ signal }) => {
      const call = probity.jobs.list({ skip, limit: LISTS_PER_PAGE, status, search, tag, unknownReruns: false, signal })
      const { data, total } = await call
      return { lists: data, total: total ?? data.length }
    },
    placeholderData: keepPreviousData,
    // Only while a list is in progress. The library does not refetch in hidden tabs.
    refetchInterval: ({ state }) => (state.data?.lists.some(isUnderWay) ? REFRESH_MS : false),
  })
}

const AT_REST = ['paused', 'completed', 'canceled', 'failed']

/** Unknown (newer) states count as in progress. */
export function isUnderWay({ status }: Pick<BulkJob, 'status'>): boolean {
  return !AT_REST.includes(status)
}

/** The roles that may create and change lists, as text. */
export const LIST_ROLES = rolesFor('jobs:write')

/** Drafts are deleted after a day, so more than this is unusual. */
const DRAFTS_MAX = 100

export const uploadsKey = ({ key }: Pick<Scene, 'key'>) => [...key, 'uploads'] as const

/** Uploads that are not confirmed yet. */
export function draftsQuery(scene: Scene) {
  return queryOptions({
    queryKey: [...uploadsKey(scene), 'drafts'],
    queryFn: async ({ signal }): Promise<Upload[]> =>
      (await scene.probity.uploads.list({ limit: DRAFTS_MAX, signal })).data,
  })
}

type UploadReading = {
  cells: Cells
  /** The column that is counted; the suggested one if undefined. */
  emailColumn?: string | undefined
}

/** The preview of an upload, with the counts of a column whose cells are read in this way. */
export function uploadQuery(scene: Scene, uploadId: string, { cells, emailColumn }: UploadReading) {
  return queryOptions({
    queryKey: [...uploadsKey(scene), uploadId, emailColumn ?? null, cells],
    queryFn: ({ signal }) => scene.probity.uploads.get(uploadId, { ...cells, emailColumn, signal }),
  })
}
