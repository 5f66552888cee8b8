import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { FileUp } from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { RequestFailed } from '../../../session/client.ts'
import { accountQuery, useScene } from '../../../session/workspace.ts'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Field, TextArea } from '../../../ui/Field.tsx'
import { formatBytes, formatCount } from '../../../ui/format.ts'
import { ProgressBar } from '../../../ui/Progress.tsx'
import { RequestName } from './Confirm.tsx'
import { makePastedFile, makeSampleFile, readPasted } from './text-files.ts'
import { type Upload, useDroppedFiles, usePaste, useUpload } from './use-upload.ts'

/** All ways to upload: choose, drop, paste, or use the sample. */
export function UploadPanel({ wantsSample = false }: { wantsSample?: boolean }) {
  const upload = useUpload()
  useSampleAtOnce(wantsSample, () => upload.send([makeSampleFile()]))
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

/** Uploads the sample if the URL asks for it. The parameter is removed first: the page can be left and opened again. */
function useSampleAtOnce(wantsSample: boolean, onUse: () => void) {
  const { mode } = useScene()
  const navigate = useNavigate({ from: '/lists/new' })
  const isWanted = wantsSample && mode === 'test'
  const use = useEffectEvent(() => {
    void navigate({ search: ({ sample: _, ...now }) => now, replace: true })
    onUse()
  })
  useEffect(() => {
    if (isWanted) use()
  }, [isWanted])
}

function Limits() {
  const { data } = useQuery(accountQuery(useScene()))
  const rows = data ? ` and ${formatCount(data.limits.emails_per_file, 'address', 'addresses')}` : ''
  return `Excel (XLSX), CSV, TSV or TXT, up to 50 MiB${rows}. No credits are charged until you confirm.`
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
        <Link to="/lists/new" search={{ mode: 'test', sample: 1 }} className={buttonClass('secondary', 'sm')}>
          Use sample file in test mode
        </Link>
      )}
    </div>
  )
}

const WORTH_ANOTHER_TRY = ['unreachable', 'rate_limited', 'internal_error', 'service_unavailable', 'overloaded']

/** Explains why an upload failed. Offers a retry where it may help. */
function UploadFailed({ upload, error }: { upload: Upload; error: RequestFailed }) {
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

/** The upload progress with a cancel button. Screen readers announce every 25 %. */
function UploadProgress({ upload: { file, share, cancel } }: { upload: Upload }) {
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

type DropZoneProps = {
  onFiles(files: File[]): void
  /** Whether it replaces an element that had the focus. */
  takesFocus: boolean
  children?: ReactNode
}

/** A drop area that is also a button, so that dragging is optional. */
function DropZone({ onFiles, takesFocus, children }: DropZoneProps) {
  const zone = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (takesFocus) zone.current?.focus()
  }, [takesFocus])
  const input = useRef<HTMLInputElement>(null)
  const isOver = useDroppedFiles(onFiles)
  const choose = ({ files }: HTMLInputElement) => {
    onFiles([...(files ?? [])])
    // Choosing the same file again, corrected in the meantime, must fire a change event too.
    if (input.current) input.current.value = ''
  }
  return (
    <>
      <button
        ref={zone}
        type="button"
        onClick={() => input.current?.click()}
        className={clsx(
          'flex min-h-52 w-full flex-col items-center justify-center gap-3 rounded-lg border-[1.5px] border-dashed px-4 py-8 text-center transition-colors',
          isOver
            ? 'border-accent bg-accent-soft'
            : 'border-edge/70 bg-surface hover:border-accent hover:bg-accent-soft/40',
        )}
      >
        <span className="grid size-11 place-items-center rounded-full bg-accent-soft text-accent-text">
          <FileUp className="size-5" aria-hidden="true" />
        </span>
        <span className="text-base font-semibold">
          {isOver ? 'Drop the file to upload it' : 'Choose a file, or drop it here'}
        </span>
        <span className="max-w-md text-soft">{children}</span>
      </button>
      <input ref={input} type="file" hidden accept={ACCEPTED} onChange={({ target }) => choose(target)} />
    </>
  )
}

const ACCEPTED =
  '.xlsx,.csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

type PasteBoxProps = {
  ref: RefObject<HTMLTextAreaElement | null>
  text: string
  onChange(text: string): void
  onSend(file: File): void
}

/** Pasted addresses. They are uploaded as a file with the column `email`. */
function PasteBox({ ref, text, onChange, onSend }: PasteBoxProps) {
  const { emails, skippedLines } = useMemo(() => readPasted(text), [text])
  return (
    <Card>
      <Field
        label="Or paste addresses"
        hint="One per line, or separated by commas. Display names and mailto: are removed."
      >
        {(ids) => (
          <TextArea
            {...ids}
            ref={ref}
            value={text}
            onChange={({ target }) => onChange(target.value)}
            rows={4}
            spellCheck={false}
            autoComplete="off"
            placeholder="ada@example.com"
            className="max-h-72 font-mono text-[0.8125rem]"
          />
        )}
      </Field>
      <div className="mt-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p role="status" className="text-soft">
          {text.trim() !== '' && found(emails.length, skippedLines)}
        </p>
        <Button disabled={emails.length === 0} onClick={() => onSend(makePastedFile(emails))}>
          Use these addresses
        </Button>
      </div>
    </Card>
  )
}

function found(emails: number, skippedLines: number): string {
  const skipped = skippedLines > 0 ? ` ${formatCount(skippedLines, 'line')} without an address skipped.` : ''
  return `${formatCount(emails, 'address', 'addresses')} found.${skipped}`
}

type Explanation = { title: string; advice: string }

/** Advice for rejected files. The problem of the service has the title, the cause and the row. */
const ADVICE: Record<string, string> = {
  not_csv: 'Save it as an Excel workbook (XLSX) or as “CSV UTF-8”, without a password.',
  empty_file: 'Choose a file with at least one row of addresses.',
  no_email_column: 'Add a column with one address per row, or paste the addresses below.',
  malformed_csv: 'Open the file in a spreadsheet program, correct the row, and save it again.',
  record_too_long: 'The limit is 64 KiB per row. Remove columns with long texts, or look for an unclosed quote.',
  too_many_columns: 'The limit is 256 columns. Remove those that you do not need.',
  too_many_rows: 'Split it into several files. They are processed in parallel.',
  too_many_emails: 'Split it into several files. They are processed in parallel.',
  file_too_large: 'The limit is 50 MiB. Remove columns that you do not need, or split it into several files.',
  too_many_uploads: 'Start or discard drafts on the Lists page, then upload the file again.',
  several_files: 'Each file becomes a separate list.',
  unreachable: 'Check your connection and that the file still exists, then try again.',
  rate_limited: 'Wait a minute, then try again.',
}

/** Titles of failures that the page finds itself, without a problem of the service. */
const TITLES: Record<string, string> = {
  file_too_large: 'File too large',
  several_files: 'One file at a time',
  unreachable: 'Upload interrupted',
}

/** A reverse proxy has its own size limit, and responds without a problem document. */
const REJECTED_BY_PROXY: Explanation = {
  title: 'Upload rejected by a proxy',
  advice:
    'A proxy in front of the service rejects files of this size. Its administrator can raise the limit to 50 MiB (nginx: client_max_body_size).',
}

function explainUpload({ code, status, title }: RequestFailed): Explanation {
  if (status === 413 && code === 'unexpected') return REJECTED_BY_PROXY
  return { title: title ?? TITLES[code] ?? 'Upload failed', advice: ADVICE[code] ?? 'Try again in a moment.' }
}
