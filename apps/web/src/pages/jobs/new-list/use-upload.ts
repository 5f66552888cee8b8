import { FILE_BYTES_MAX } from '@probity/contract/constants/limits'
import type { UploadPreview } from '@probity/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { RequestFailed } from '../../../session/ask.ts'
import { asRequestFailed, sceneHeaders } from '../../../session/probity.ts'
import { useScene } from '../../../session/scene.ts'
import { formatBytes, formatCount } from '../../../ui/format.ts'
import { uploadQuery, uploadsKey } from '../lists/uploads.ts'
import { sendFile } from './send-file.ts'

export type Upload = {
  isSending: boolean
  isCancelled: boolean
  file: File | undefined
  /** The sent share of the file, from 0 to 1. */
  share: number
  error: RequestFailed | undefined
  send(files: readonly File[]): void
  cancel(): void
}

/** Uploads one file and opens the column step. Leaving the page cancels the upload. */
export function useUpload(): Upload {
  const [share, setShare] = useState(0)
  const [refused, setRefused] = useState<RequestFailed>()
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])
  const upload = useMutation(useSending(stop, setShare))
  const { isPending, error, variables: file } = upload
  const isCancelled = error !== null && (stop.current?.signal.aborted ?? false)
  const failure = refused ?? (error && !isCancelled ? asRequestFailed(error) : undefined)

  const send = (files: readonly File[]) => {
    const [first] = files
    if (first === undefined || isPending) return
    const refusal = refuse(files)
    setRefused(refusal)
    if (refusal === undefined) upload.mutate(first)
  }
  const cancel = () => stop.current?.abort()
  return { isSending: isPending, isCancelled, file, share, error: failure, send, cancel }
}

function useSending(stop: { current: AbortController | undefined }, onProgress: (share: number) => void) {
  const scene = useScene()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return {
    mutationFn: (file: File) => {
      const controller = new AbortController()
      stop.current = controller
      onProgress(0)
      const headers = sceneHeaders({ accountId: scene.membership.account_id, mode: scene.mode })
      return sendFile<UploadPreview>({
        path: '/bulk/upload/preview',
        file,
        headers,
        signal: controller.signal,
        onProgress,
      })
    },
    onSuccess: async (preview: UploadPreview) => {
      const { upload_id: upload } = preview
      queryClient.setQueryData(uploadQuery(scene, upload).queryKey, preview)
      void queryClient.invalidateQueries({ queryKey: [...uploadsKey(scene), 'drafts'] })
      await navigate({ to: '/lists/new', search: (now) => ({ mode: now.mode, org: now.org, upload }) })
    },
  }
}

/** Rejects files that the service would reject after the upload. */
function refuse(files: readonly File[]): RequestFailed | undefined {
  const no = (code: string, message: string) => new RequestFailed({ status: 0, code, message })
  if (files.length > 1) return no('several_files', `${formatCount(files.length, 'file')} chosen.`)
  const size = files[0]?.size ?? 0
  if (size > FILE_BYTES_MAX) return no('file_too_large', `The file size is ${formatBytes(size)}.`)
  return undefined
}
