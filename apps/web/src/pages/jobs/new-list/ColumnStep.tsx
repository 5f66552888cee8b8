import type { UploadPreview } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useRef, useState } from 'react'
import { useScene } from '../../../session/scene.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Skeleton } from '../../../ui/States.tsx'
import { uploadQuery } from '../lists/uploads.ts'
import { ColumnChoice } from './ColumnChoice.tsx'
import { DiscardButton } from './DiscardButton.tsx'
import { DraftMissing } from './DraftMissing.tsx'
import { FileFacts } from './FileFacts.tsx'
import { SampleRows } from './SampleRows.tsx'

/** The choice of the address column. It is preselected if there is only one candidate. */
export function ColumnStep({ upload, chosen }: { upload: string; chosen: string | undefined }) {
  const { data, error, refetch } = useQuery(uploadQuery(useScene(), upload))
  if (data) return <ColumnForm preview={data} chosen={chosen} />
  if (error) return <DraftMissing error={error} onRetry={() => void refetch()} />
  return (
    <Card>
      <Skeleton lines={6} label="Loading the draft" />
    </Card>
  )
}

function ColumnForm({ preview, chosen }: { preview: UploadPreview; chosen: string | undefined }) {
  const { upload_id: upload, filename } = preview
  const navigate = useNavigate({ from: '/lists/new' })
  const [column, setColumn] = useState(chosen ?? onlyCandidate(preview))
  const [isMissed, setIsMissed] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const goOn = (event: FormEvent) => {
    event.preventDefault()
    if (column !== undefined) {
      void navigate({ search: ({ step: _, ...now }) => ({ ...now, upload, column }) })
      return
    }
    setIsMissed(true)
    form.current?.querySelector<HTMLInputElement>('input[type=radio]')?.focus()
  }
  return (
    <form ref={form} onSubmit={goOn} noValidate className="flex flex-col gap-5">
      <FileFacts preview={preview} />
      {isAmbiguous(preview) && (
        <Callout kind="warning">Several columns contain addresses. Only the chosen column is validated.</Callout>
      )}
      {preview.suggestion_reason === 'name_only' && (
        <Callout kind="warning">
          This column is suggested because of its header. Few or none of its cells contain an address.
        </Callout>
      )}
      <div className="grid items-start gap-5 lg:grid-cols-[19rem_minmax(0,1fr)]">
        <ColumnChoice preview={preview} column={column} onChange={setColumn} isMissed={isMissed} />
        <SampleRows preview={preview} column={column} />
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" look="primary" className="max-sm:w-full">
          Continue
        </Button>
        <DiscardButton upload={upload} filename={filename} />
      </div>
    </form>
  )
}

const isAmbiguous = ({ suggestion_reason: reason }: UploadPreview) => reason === 'several_columns'

/** With several candidates no column is preselected, since users tend to accept a preselection unread. */
function onlyCandidate(preview: UploadPreview): string | undefined {
  return isAmbiguous(preview) ? undefined : preview.suggested_email_column
}
