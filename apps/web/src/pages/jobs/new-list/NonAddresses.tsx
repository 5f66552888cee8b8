import type { Correction, NonAddress, UploadPreview } from '@probity/sdk'
import { keepPreviousData, queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { asRequestFailed, saveFile } from '../../../session/client.ts'
import { type Scene, useScene } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { TextInput } from '../../../ui/Field.tsx'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { PageFrame } from '../../../ui/States.tsx'
import { type Column, DataTable, Pager } from '../../../ui/Table.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { uploadsKey } from '../lists/lists-query.ts'
import { cellsOfPreview, useReplacedUpload } from './use-upload.ts'
import { VisibleText } from './ValueParts.tsx'

const PAGE_SIZE = 10

function nonAddressesQuery(scene: Scene, preview: UploadPreview, skip: number) {
  const { upload_id: id, email_column: emailColumn } = preview
  const cells = cellsOfPreview(preview)
  return queryOptions({
    queryKey: [...uploadsKey(scene), id, emailColumn, 'non-addresses', cells, skip],
    queryFn: async ({ signal }) => {
      const call = scene.probity.uploads.nonAddresses(id, { emailColumn, ...cells, skip, limit: PAGE_SIZE, signal })
      const { data, total } = await call
      return { values: data, total: total ?? data.length }
    },
    placeholderData: keepPreviousData,
  })
}

/** The values that no repair can make an address: to look at, to download, and to correct one by one. */
export function NonAddresses({ preview }: { preview: UploadPreview }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)} className="text-[0.8125rem]">
      <summary className="min-h-6 w-fit text-accent-text underline underline-offset-4">Show the values</summary>
      {isOpen && <NonAddressValues preview={preview} />}
    </details>
  )
}

/** The texts of the opened fields, by the numbers of their rows. */
type Corrections = ReadonlyMap<number, { original: string; text: string }>

function NonAddressValues({ preview }: { preview: UploadPreview }) {
  const [skip, setSkip] = useState(0)
  const [corrections, setCorrections] = useState<Corrections>(new Map())
  const query = useQuery(nonAddressesQuery(useScene(), preview, skip))
  const correct: Correct = ({ row, value }, text) => {
    setCorrections(new Map(corrections).set(row, { original: value, text }))
  }
  return (
    <PageFrame query={query} failed="The values could not be loaded" loading="Loading the values" lines={4}>
      {({ values, total }) => (
        <CorrectionForm preview={preview} corrections={listChanges(corrections)}>
          <DataTable
            caption="Values that are not addresses"
            columns={columnsOf(corrections, correct)}
            rows={values}
            keyOf={({ row }) => row}
            cardsBelow="sm"
          />
          <Pager skip={skip} limit={PAGE_SIZE} total={total} noun="values" onTurn={setSkip} />
        </CorrectionForm>
      )}
    </PageFrame>
  )
}

function listChanges(corrections: Corrections): Correction[] {
  return [...corrections]
    .map(([row, { original, text }]) => ({ row, value: text.trim(), original }))
    .filter(({ value, original }) => value !== '' && value !== original)
    .map(({ row, value }) => ({ row, value }))
}

const REASONS: Record<string, string> = { no_address: 'No address', syntax_error: 'Malformed' }

type Correct = (value: NonAddress, text: string) => void

function columnsOf(corrections: Corrections, correct: Correct): Column<NonAddress>[] {
  return [
    {
      head: 'Row',
      isRowHead: true,
      className: 'font-normal whitespace-nowrap tabular-nums',
      cell: ({ row }) => `Row ${formatNumber(row)}`,
    },
    { head: 'Value', cell: ({ value }) => <VisibleText text={value} /> },
    {
      head: 'Reason',
      className: 'text-soft whitespace-nowrap',
      cell: ({ reason }) => REASONS[reason] ?? reason,
    },
    {
      head: 'Correction',
      isHeadHidden: true,
      align: 'end',
      cell: (value) => <CorrectionCell value={value} text={corrections.get(value.row)?.text} correct={correct} />,
    },
  ]
}

type CellProps = { value: NonAddress; text: string | undefined; correct: Correct }

/** A field appears on demand only: most of these values cannot be corrected. */
function CorrectionCell({ value, text, correct }: CellProps) {
  if (text === undefined) {
    return (
      <Button
        size="sm"
        look="quiet"
        aria-label={`Correct row ${formatNumber(value.row)}`}
        onClick={() => correct(value, value.value)}
      >
        Correct
      </Button>
    )
  }
  return (
    <TextInput
      aria-label={`Correct address of row ${formatNumber(value.row)}`}
      autoFocus
      value={text}
      onChange={({ target }) => correct(value, target.value)}
      spellCheck={false}
      autoComplete="off"
      autoCapitalize="none"
      maxLength={1024}
      className="min-w-40"
    />
  )
}

type FormProps = { preview: UploadPreview; corrections: Correction[]; children: ReactNode }

function CorrectionForm({ preview, corrections, children }: FormProps) {
  const { upload_id: id, email_column: emailColumn } = preview
  const cells = cellsOfPreview(preview)
  const { probity } = useScene()
  const toasts = useToasts()
  const showReplaced = useReplacedUpload()
  const save = useMutation({
    mutationFn: () => probity.uploads.correct(id, corrections, { emailColumn, ...cells }),
    onSuccess: async (next) => {
      toasts.done(`${formatCount(corrections.length, 'value')} corrected.`)
      await showReplaced(next, emailColumn)
    },
  })
  const download = useMutation({
    mutationFn: async () =>
      new Response(await probity.uploads.downloadNonAddresses(id, { emailColumn, ...cells })).blob(),
    onSuccess: (file) => saveFile(file, `${preview.filename.replace(/\.[^.]+$/, '')}-not-addresses.csv`),
  })
  const error = save.error ?? download.error
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (corrections.length > 0 && !save.isPending) save.mutate()
  }
  return (
    <form onSubmit={submit} className="mt-2 flex flex-col gap-3">
      {children}
      <div className="flex flex-wrap gap-2">
        {corrections.length > 0 && (
          <Button type="submit" size="sm" look="primary" busy={save.isPending}>
            Save {formatCount(corrections.length, 'correction')}
          </Button>
        )}
        <Button
          size="sm"
          icon={<Download className="size-4" aria-hidden="true" />}
          busy={download.isPending}
          onClick={() => download.mutate()}
        >
          Download these values
        </Button>
      </div>
      {error && (
        <Callout kind="error" live title={save.error ? 'The values could not be corrected' : 'The download failed'}>
          {asRequestFailed(error).message}
        </Callout>
      )}
    </form>
  )
}
