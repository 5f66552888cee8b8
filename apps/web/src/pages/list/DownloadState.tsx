import { Callout } from '../../ui/Callout.tsx'
import { formatBytes } from '../../ui/format.ts'
import type { Download } from './use-download.ts'

/** How a download stands, for eyes and ears. */
export function DownloadState({ download }: { download: Download }) {
  return (
    <>
      <p role="status" className="text-[0.8125rem] text-soft empty:hidden">
        {download.kind === 'busy' && 'The file is being made.'}
        {download.kind === 'done' && `${download.name} is with your browser.`}
      </p>
      {download.kind === 'busy' && download.bytes > 0 && (
        <p className="text-[0.8125rem] text-soft tabular-nums">{formatBytes(download.bytes)} so far</p>
      )}
      {download.kind === 'failed' && (
        <Callout kind="error" live title="The file could not be made">
          <p>{download.error.message}</p>
          {download.error.code === 'file_removed' && (
            <p>An uploaded file is kept for 7 days. The results themselves are still there as JSON lines.</p>
          )}
          {download.error.requestId && (
            <p className="mt-1 font-mono text-xs break-all">Request {download.error.requestId}</p>
          )}
        </Callout>
      )}
    </>
  )
}
