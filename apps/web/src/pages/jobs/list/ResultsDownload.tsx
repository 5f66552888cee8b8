import { Download } from 'lucide-react'
import { useEffect } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { formatCount } from '../../../ui/format.ts'
import { useToasts } from '../../../ui/Toasts.tsx'
import type { ListSearch } from './list-search.ts'
import { filterOf } from './queries.ts'
import { useDownload } from './use-download.ts'

/** Downloads the results that match the filters. */
export function ResultsDownload({ jobId, search, total }: { jobId: string; search: ListSearch; total: number }) {
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
