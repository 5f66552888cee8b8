import type { UploadPreview } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { AtSign, CircleAlert } from 'lucide-react'
import { type FormEvent, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { useScene } from '../../../session/workspace.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Radio } from '../../../ui/Field.tsx'
import { formatCount, formatShare } from '../../../ui/format.ts'
import { Skeleton } from '../../../ui/States.tsx'
import { DataTable } from '../../../ui/Table.tsx'
import { uploadQuery } from '../lists/lists-query.ts'
import type { Cells } from '../search.ts'
import { DiscardButton, DraftMissing, FileFacts, SameFileNotice } from './DraftParts.tsx'
import { ReadingChoices } from './ReadingChoices.tsx'

/** The choice of the email column. It is preselected if there is only one candidate. */
export function ColumnStep({ upload, chosen, cells }: { upload: string; chosen: string | undefined; cells: Cells }) {
  const { data, error, refetch } = useQuery(uploadQuery(useScene(), upload, { cells }))
  if (data) return <ColumnForm preview={data} chosen={chosen} />
  if (error) return <DraftMissing error={error} onRetry={() => void refetch()} />
  return (
    <Card>
      <Skeleton lines={6} label="Loading the draft" />
    </Card>
  )
}

/** Another sheet or header row is another upload in the same form, so that their choice keeps the focus. */
function ColumnForm({ preview, chosen }: { preview: UploadPreview; chosen: string | undefined }) {
  const { upload_id: upload, filename } = preview
  const navigate = useNavigate({ from: '/lists/new' })
  const [picked, setPicked] = useState<{ upload: string; column: string }>()
  const [missed, setMissed] = useState<string>()
  const column = picked?.upload === upload ? picked.column : (chosen ?? onlyCandidate(preview))
  const form = useRef<HTMLFormElement>(null)
  const goOn = (event: FormEvent) => {
    event.preventDefault()
    if (column !== undefined) {
      void navigate({ search: ({ step: _, ...now }) => ({ ...now, upload, column }) })
      return
    }
    setMissed(upload)
    form.current?.querySelector<HTMLInputElement>('input[type=radio]')?.focus()
  }
  return (
    <form ref={form} onSubmit={goOn} noValidate className="flex flex-col gap-5">
      <FileFacts preview={preview} />
      <SameFileNotice preview={preview} />
      <ReadingChoices preview={preview} />
      {isAmbiguous(preview) && (
        <Callout kind="warning">Several columns contain addresses. Only the chosen column is validated.</Callout>
      )}
      {preview.suggestion_reason === 'name_only' && (
        <Callout kind="warning">
          This column is suggested because of its header. Few or none of its cells contain an address.
        </Callout>
      )}
      <div className="grid items-start gap-5 lg:grid-cols-[19rem_minmax(0,1fr)]">
        <ColumnChoice
          preview={preview}
          column={column}
          onChange={(name) => setPicked({ upload, column: name })}
          isMissed={missed === upload}
        />
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

type Details = UploadPreview['column_details'][number]
type ChoiceProps = {
  preview: UploadPreview
  column: string | undefined
  onChange(column: string): void
  isMissed: boolean
}

/** The columns with a summary of their values: those with addresses first, the others collapsed. */
function ColumnChoice({ preview, column, onChange, isMissed }: ChoiceProps) {
  const id = useId()
  const { column_details: columns } = preview
  const withAddresses = columns.filter(({ address_count: count }) => count > 0)
  const others = columns.filter(({ address_count: count }) => count === 0)
  const isOtherChosen = others.some(({ name }) => name === column)
  const choices = (part: Details[]) =>
    part.map((details) => (
      <ColumnRadio
        key={details.name}
        {...{ details, preview, id }}
        checked={details.name === column}
        onChange={onChange}
      />
    ))
  return (
    <Card>
      <fieldset aria-describedby={isMissed ? `${id}-error` : undefined}>
        <legend className="mb-3 font-medium">Column</legend>
        {isMissed && column === undefined && (
          <p id={`${id}-error`} role="alert" className="mb-3 flex items-start gap-1.5 text-[0.8125rem] text-invalid">
            <CircleAlert className="mt-0.5 size-3.5 shrink-0" aria-hidden="true" />
            Choose the column to validate.
          </p>
        )}
        <div className="flex flex-col gap-3">{choices(withAddresses)}</div>
        {others.length > 0 && (
          <details className="mt-4" open={isOtherChosen || undefined}>
            <summary className="min-h-6 text-soft hover:text-ink">
              {formatCount(others.length, 'column')} without addresses
            </summary>
            <div className="mt-3 flex max-h-80 flex-col gap-3 overflow-y-auto">{choices(others)}</div>
          </details>
        )}
      </fieldset>
    </Card>
  )
}

type RadioProps = {
  details: Details
  preview: UploadPreview
  id: string
  checked: boolean
  onChange(column: string): void
}

function ColumnRadio({ details, preview, id, checked, onChange }: RadioProps) {
  const { name, filled_count: filled } = details
  const isSuggested = name === preview.suggested_email_column && preview.suggestion_reason !== 'several_columns'
  return (
    <Radio
      name={id}
      value={name}
      checked={checked}
      disabled={filled === 0}
      onChange={() => onChange(name)}
      label={
        <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1 font-medium [overflow-wrap:anywhere]">
          {name}
          {isSuggested && <Badge tone="accent">Suggested</Badge>}
        </span>
      }
      hint={describe(details)}
    />
  )
}

function describe({ filled_count: filled, address_count: addresses, address_share: share }: Details): string {
  if (filled === 0) return 'Empty in all rows.'
  if (addresses === 0) return `${formatCount(filled, 'value')}, no addresses.`
  return `${formatCount(filled, 'value')}, ${formatShare(share)} addresses.`
}

const CELL = 'max-w-64 truncate py-2 first:ps-5 last:pe-5'

/** The first rows as parsed, with the chosen column highlighted. */
function SampleRows({ preview, column }: { preview: UploadPreview; column: string | undefined }) {
  const { columns, sample_rows: rows } = preview
  const chosen = columns.indexOf(column ?? '')
  const mark = useRef<HTMLSpanElement>(null)
  useEffect(() => showColumn(mark.current?.closest('th'), chosen), [chosen])
  const caption = rows.length < preview.row_count ? firstRows(rows.length) : 'All rows'
  return (
    <Card title={caption} className="min-w-0 overflow-hidden">
      <DataTable
        caption={caption}
        className="-mx-5 -mb-4 border-t border-line"
        columns={columns.map((name, n) => ({
          head: n === chosen ? <ChosenHead name={name} mark={mark} /> : name,
          headClassName: clsx(CELL, n === chosen && 'bg-accent-soft text-accent-text'),
          className: clsx(CELL, n === chosen && 'bg-accent-soft font-medium'),
          cell: (cells: string[]) => cells[n] || <span className="text-faint">empty</span>,
        }))}
        rows={rows}
        keyOf={(_, row) => row}
      />
    </Card>
  )
}

const firstRows = (count: number) => (count === 1 ? 'First row' : `First ${count} rows`)

function ChosenHead({ name, mark }: { name: string; mark: RefObject<HTMLSpanElement | null> }) {
  return (
    <span ref={mark} className="inline-flex items-center gap-1.5">
      <AtSign className="size-3.5" aria-hidden="true" />
      {name}
      <span className="sr-only">, to be validated</span>
    </span>
  )
}

/** Scrolls only the table, so that the page does not jump while the user changes the column. */
function showColumn(cell: HTMLTableCellElement | null | undefined, chosen: number): void {
  const region = cell?.closest('section[tabindex]')
  if (!cell || !region || chosen < 0) return
  const isInSight =
    cell.offsetLeft >= region.scrollLeft && cell.offsetLeft + cell.offsetWidth <= region.scrollLeft + region.clientWidth
  if (!isInSight) region.scrollLeft = cell.offsetLeft - 24
}
