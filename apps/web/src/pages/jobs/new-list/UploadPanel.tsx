import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { accountQuery } from '../../../session/account-query.ts'
import { useScene } from '../../../session/scene.ts'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { formatCount } from '../../../ui/format.ts'
import { DropZone } from './DropZone.tsx'
import { PasteBox } from './PasteBox.tsx'
import { makeSampleFile } from './sample-file.ts'
import { UploadFailed } from './UploadFailed.tsx'
import { UploadProgress } from './UploadProgress.tsx'
import { usePaste } from './use-dropped-files.ts'
import { useUpload } from './use-upload.ts'

/** All ways to upload: choose, drop, paste, or use the sample. */
export function UploadPanel() {
  const upload = useUpload()
  const [text, setText] = useState('')
  const box = useRef<HTMLTextAreaElement>(null)
  usePaste({
    onFiles: upload.send,
    onText: (pasted) => {
      setText(pasted)
      box.current?.focus()
    },
  })
  if (upload.isSending) return <UploadProgress upload={upload} />
  return (
    <div className="flex flex-col gap-5">
      {upload.error && <UploadFailed upload={upload} error={upload.error} />}
      <DropZone onFiles={upload.send} takesFocus={upload.isCancelled}>
        <Limits />
      </DropZone>
      <Sample onUse={() => upload.send([makeSampleFile()])} />
      <PasteBox ref={box} text={text} onChange={setText} onSend={(file) => upload.send([file])} />
    </div>
  )
}

function Limits() {
  const { data } = useQuery(accountQuery(useScene()))
  const rows = data ? ` and ${formatCount(data.limits.emails_per_file, 'address', 'addresses')}` : ''
  return `CSV or another delimited text file, up to 50 MiB${rows}. No credits are charged until you confirm.`
}

function Sample({ onUse }: { onUse(): void }) {
  const { mode } = useScene()
  return (
    <div className="flex flex-wrap items-center justify-center gap-x-3 gap-y-2 text-soft">
      <p>No file? Try a sample of 120 rows with all verdicts.</p>
      {mode === 'test' ? (
        <Button size="sm" onClick={onUse}>
          Use sample file
        </Button>
      ) : (
        <Link to="/lists/new" search={{ mode: 'test' }} className={buttonClass('secondary', 'sm')}>
          Use sample file in test mode
        </Link>
      )}
    </div>
  )
}
