import { useEffect, useRef } from 'react'
import type { RequestFailed } from '../../../session/ask.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { explainUpload } from './explain-upload.ts'
import { RequestName } from './RequestName.tsx'
import type { Upload } from './use-upload.ts'

const WORTH_ANOTHER_TRY = ['unreachable', 'rate_limited', 'internal_error', 'service_unavailable', 'overloaded']

/** Explains why an upload failed. Offers a retry where it may help. */
export function UploadFailed({ upload, error }: { upload: Upload; error: RequestFailed }) {
  const { title, advice } = explainUpload(error)
  const { file } = upload
  const box = useRef<HTMLDivElement>(null)
  // The clicked button was removed, so the focus is set here.
  useEffect(() => box.current?.focus(), [])
  const retry = file && WORTH_ANOTHER_TRY.includes(error.code) && (
    <Button size="sm" onClick={() => upload.send([file])}>
      Try again
    </Button>
  )
  return (
    <div ref={box} tabIndex={-1} className="rounded-md">
      <Callout kind="error" live title={title} actions={retry}>
        <p>
          {error.code === 'unreachable' ? '' : `${error.message} `}
          {advice}
        </p>
        <RequestName id={error.requestId} />
      </Callout>
    </div>
  )
}
