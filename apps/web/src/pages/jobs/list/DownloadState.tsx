import { Callout } from '../../../ui/Callout.tsx'
import { formatBytes } from '../../../ui/format.ts'
import type { Download } from './use-download.ts'

/** The state of a download, also for screen readers. */
export function DownloadState({ download }: { download: Download }) {
  return (
    <>
      <p role="status" className="text-[0.8125rem] text-soft empty:hidden">
        {download.kind === 'busy' && 'Preparing the file.'}
        {download.kind === 'done' && `${download.name} downloaded.`}
      </p>
      {download.kind === 'busy' && download.bytes > 0 && (
        <p className="text-[0.8125rem] text-soft tabular-nums">{formatBytes(download.bytes)} received</p>
      )}
      {download.kind === 'failed' && (
        <Callout kind="error" live title="The file could not be downloaded">
          <p>{download.error.message}</p>
          {download.error.code === 'file_removed' && (
            <p>Uploaded files are kept for 7 days. The results are still available as JSON Lines.</p>
          )}
          {download.error.requestId && (
            <p className="mt-1 font-mono text-xs break-all">Request ID: {download.error.requestId}</p>
          )}
        </Callout>
      )}
    </>
  )
}
