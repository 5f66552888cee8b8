import type { Upload } from '@probity/sdk'
import { queryOptions } from '@tanstack/react-query'
import type { Scene } from '../../../session/scene.ts'

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

/** The preview of an upload, with the counts of the given column or of the suggested one. */
export function uploadQuery(scene: Scene, uploadId: string, emailColumn?: string) {
  return queryOptions({
    queryKey: [...uploadsKey(scene), uploadId, emailColumn ?? null],
    queryFn: ({ signal }) => scene.probity.uploads.get(uploadId, { emailColumn, signal }),
  })
}
