import { useEffect } from 'react'
import { useToasts } from '../../../ui/Toasts.tsx'
import { useDownload, type Wanted } from './download.ts'

/** Downloads some results and shows the outcome as a toast. */
export function useResultsDownload(jobId: string) {
  const { download, start } = useDownload(jobId)
  const toasts = useToasts()
  useEffect(() => {
    if (download.kind === 'done') toasts.done(`${download.name} downloaded.`)
    if (download.kind === 'failed') toasts.failed(`The file could not be downloaded. ${download.error.message}`)
  }, [download, toasts])
  return { isBusy: download.kind === 'busy', start: (wanted: Wanted) => void start(wanted) }
}
