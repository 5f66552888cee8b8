import { FILE_BYTES_MAX } from '@probity/contract/constants/limits'
import type { UploadPreview } from '@probity/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { asRequestFailed, RequestFailed, readFailure, sceneHeaders, unreachable } from '../../../session/client.ts'
import { useScene } from '../../../session/workspace.ts'
import { formatBytes, formatCount } from '../../../ui/format.ts'
import { uploadQuery, uploadsKey } from '../lists/lists-query.ts'
import { type Cells, cellsOf } from '../search.ts'

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

/** What a new upload is read with. */
export const USUAL_CELLS = cellsOf({})

/** How the cells of a preview were read. */
export function cellsOfPreview({ several_addresses: severalAddresses, malformed }: UploadPreview): Cells {
  return { severalAddresses, malformed }
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
      const { severalAddresses, malformed } = USUAL_CELLS
      return sendFile<UploadPreview>({
        path: `/bulk/upload/preview?several_addresses=${severalAddresses}&malformed=${malformed}`,
        file,
        headers,
        signal: controller.signal,
        onProgress,
      })
    },
    onSuccess: async (preview: UploadPreview) => {
      const { upload_id: upload } = preview
      queryClient.setQueryData(uploadQuery(scene, upload, { cells: USUAL_CELLS }).queryKey, preview)
      void queryClient.invalidateQueries({ queryKey: [...uploadsKey(scene), 'drafts'] })
      await navigate({ to: '/lists/new', search: (now) => ({ mode: now.mode, org: now.org, upload }) })
    },
  }
}

/** Shows the upload that replaces another one: with another sheet or header row, or with corrected values. */
export function useReplacedUpload() {
  const scene = useScene()
  const queryClient = useQueryClient()
  const navigate = useNavigate({ from: '/lists/new' })
  return async (preview: UploadPreview, column?: string): Promise<void> => {
    const { upload_id: upload } = preview
    const cells = cellsOfPreview(preview)
    // The preview has the counts of the suggested column.
    if (column === undefined || column === preview.email_column)
      queryClient.setQueryData(uploadQuery(scene, upload, { cells, emailColumn: column }).queryKey, preview)
    void queryClient.invalidateQueries({ queryKey: [...uploadsKey(scene), 'drafts'] })
    await navigate({
      search: ({ column: _, step: __, ...now }) => ({ ...now, upload, ...(column !== undefined && { column }) }),
      replace: true,
      resetScroll: column === undefined,
    })
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

/** Accepts files dropped anywhere on the page, which the browser would open otherwise. Returns whether a file hovers. */
export function useDroppedFiles(take: (files: File[]) => void): boolean {
  const [isOver, setIsOver] = useState(false)
  const onDrop = useEffectEvent(take)
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!carriesFiles(event)) return
      event.preventDefault()
      setIsOver(true)
    }
    // dragleave fires for every element; only without a related target has the drag left the page.
    const leave = (event: DragEvent) => event.relatedTarget === null && setIsOver(false)
    const drop = (event: DragEvent) => {
      setIsOver(false)
      if (!carriesFiles(event)) return
      event.preventDefault()
      onDrop([...(event.dataTransfer?.files ?? [])])
    }
    const listeners = { dragover: over, dragleave: leave, drop }
    for (const [name, listener] of Object.entries(listeners)) {
      window.addEventListener(name, listener as EventListener)
    }
    return () => {
      for (const [name, listener] of Object.entries(listeners)) {
        window.removeEventListener(name, listener as EventListener)
      }
    }
  }, [])
  return isOver
}

type Pasted = { onFiles(files: File[]): void; onText(text: string): void }

/** Handles a paste anywhere on the page except in fields, which handle it themselves. */
export function usePaste({ onFiles, onText }: Pasted): void {
  const paste = useEffectEvent((event: ClipboardEvent) => {
    const { files, text } = contentsOf(event)
    if (files.length > 0) {
      event.preventDefault()
      onFiles(files)
      return
    }
    if (isField(event.target) || !text.includes('@')) return
    event.preventDefault()
    onText(text)
  })
  useEffect(() => {
    const listener = (event: ClipboardEvent) => paste(event)
    document.addEventListener('paste', listener)
    return () => document.removeEventListener('paste', listener)
  }, [])
}

function contentsOf({ clipboardData }: ClipboardEvent) {
  return { files: [...(clipboardData?.files ?? [])], text: clipboardData?.getData('text/plain') ?? '' }
}

const carriesFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false
const isField = (target: EventTarget | null) => target instanceof Element && target.closest('input, textarea') !== null

/** The upload may take 300 seconds, and reading the file some more. */
const TIMEOUT_MS = 330_000

type Sending = {
  path: string
  file: File
  headers: Record<string, string>
  signal: AbortSignal
  /** The sent share of the form, from 0 to 1. */
  onProgress(share: number): void
}

/** Uploads a file as a form. Uses XMLHttpRequest, since fetch does not report upload progress. */
function sendFile<T>({ path, file, headers, signal, onProgress }: Sending): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', `/app/api${path}`)
    request.timeout = TIMEOUT_MS
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total)
    request.onload = () => void readAnswer<T>(request).then(resolve, reject)
    request.onerror = () => reject(unreachable())
    request.ontimeout = () => reject(unreachable())
    request.onabort = () => reject(signal.reason)
    signal.addEventListener('abort', () => request.abort(), { once: true })
    const form = new FormData()
    form.append('file', file, file.name)
    request.send(form)
  })
}

async function readAnswer<T>(request: XMLHttpRequest): Promise<T> {
  const { status, responseText } = request
  const requestId = request.getResponseHeader('request-id')
  const answer = new Response(responseText, { status, ...(requestId && { headers: { 'request-id': requestId } }) })
  if (!answer.ok) throw await readFailure(answer)
  return (await answer.json().catch(() => {
    throw new RequestFailed({
      status,
      code: 'unexpected',
      message: 'The service returned an unreadable response to the upload.',
    })
  })) as T
}
