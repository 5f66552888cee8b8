import type { Upload } from '@probity/sdk'
import { queryOptions } from '@tanstack/react-query'
import type { Scene } from '../../session/scene.ts'

/** So many drafts are shown: they are removed after a day, and hardly anybody has more at a time. */
const DRAFTS_MAX = 100

export const uploadsKey = ({ key }: Pick<Scene, 'key'>) => [...key, 'uploads'] as const

/** Uploads that wait to be confirmed. */
export function draftsQuery(scene: Scene) {
  return queryOptions({
    queryKey: [...uploadsKey(scene), 'drafts'],
    queryFn: async ({ signal }): Promise<Upload[]> =>
      (await scene.probity.uploads.list({ limit: DRAFTS_MAX, signal })).data,
  })
}

/** What is in an uploaded file; its counts are those of the column, or else of the suggested one. */
export function uploadQuery(scene: Scene, uploadId: string, emailColumn?: string) {
  return queryOptions({
    queryKey: [...uploadsKey(scene), uploadId, emailColumn ?? null],
    queryFn: ({ signal }) => scene.probity.uploads.get(uploadId, { emailColumn, signal }),
  })
}
