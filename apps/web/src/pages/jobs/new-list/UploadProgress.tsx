import { useEffect, useRef } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { formatBytes } from '../../../ui/format.ts'
import { ProgressBar } from '../../../ui/Progress.tsx'
import type { Upload } from './use-upload.ts'

/** The upload progress with a cancel button. Screen readers announce every 25 %. */
export function UploadProgress({ upload: { file, share, cancel } }: { upload: Upload }) {
  const box = useRef<HTMLDivElement>(null)
  // The clicked element was removed, so the focus is set here.
  useEffect(() => box.current?.focus(), [])
  const percent = Math.floor(share * 100)
  const isSent = share >= 1
  const name = file?.name ?? 'the file'
  return (
    <div
      ref={box}
      tabIndex={-1}
      className="flex min-h-52 flex-col justify-center gap-4 rounded-lg border border-line bg-surface p-6 shadow-card focus:outline-none"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <p className="min-w-0 font-medium [overflow-wrap:anywhere]">{name}</p>
        <p className="text-soft tabular-nums">
          {isSent ? 'Reading the file' : `${percent}% of ${formatBytes(file?.size ?? 0)}`}
        </p>
      </div>
      <ProgressBar value={share} label={`Upload of ${name}`} />
      <p role="status" className="sr-only">
        {isSent ? 'Upload complete. Reading the file.' : `Uploading, ${Math.floor(percent / 25) * 25} percent.`}
      </p>
      <div>
        <Button onClick={cancel}>Cancel</Button>
      </div>
    </div>
  )
}
