import type { NonAddress, UploadPreview } from '@probity/sdk'
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
import { useReplacedUpload } from './use-upload.ts'

const PAGE_SIZE = 10

function nonAddressesQuery(scene: Scene, { upload_id: id, email_column: emailColumn }: UploadPreview, skip: number) {
  return queryOptions({
    queryKey: [...uploadsKey(scene), id, emailColumn, 'non-addresses', skip],
    queryFn: async ({ signal }) => {
      const call = scene.probity.uploads.nonAddresses(id, { emailColumn, skip, limit: PAGE_SIZE, signal })
      const { data, total } = await call
      return { values: data, total: total ?? data.length }
    },
    placeholderData: keepPreviousData,
  })
}

/** The values that are not addresses: to list, to correct and to download. */
export function NonAddresses({ preview, count }: { preview: UploadPreview; count: number }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="min-h-6 w-fit text-accent-text underline underline-offset-4">
        Show and correct {formatCount(count, 'value')}
      </summary>
      {isOpen && <Values preview={preview} />}
    </details>
  )
}

function Values({ preview }: { preview: UploadPreview }) {
  const [skip, setSkip] = useState(0)
  const [corrections, setCorrections] = useState<ReadonlyMap<number, string>>(new Map())
  const query = useQuery(nonAddressesQuery(useScene(), preview, skip))
  const correct = (row: number, value: string) => {
    const next = new Map(corrections)
    if (value.trim() === '') next.delete(row)
    else next.set(row, value)
    setCorrections(next)
  }
  return (
    <PageFrame query={query} failed="The values could not be loaded" loading="Loading the values" lines={4}>
      {({ values, total }) => (
        <CorrectionForm preview={preview} corrections={corrections}>
          <DataTable
            caption="Values that are not addresses"
            columns={columnsOf(corrections, correct)}
            rows={values}
            keyOf={({ row }) => row}
          />
          <Pager skip={skip} limit={PAGE_SIZE} total={total} noun="values" onTurn={setSkip} />
        </CorrectionForm>
      )}
    </PageFrame>
  )
}

const REASONS: Record<string, string> = { no_address: 'No address, skipped', syntax_error: 'Syntax error' }

type Correct = (row: number, value: string) => void

function columnsOf(corrections: ReadonlyMap<number, string>, correct: Correct): Column<NonAddress>[] {
  return [
    {
      head: 'Row',
      isRowHead: true,
      className: 'font-normal whitespace-nowrap tabular-nums',
      cell: ({ row }) => `Row ${formatNumber(row)}`,
    },
    { head: 'Value', className: 'font-mono text-xs text-ink [overflow-wrap:anywhere]', cell: ({ value }) => value },
    {
      head: 'Reason',
      className: 'whitespace-nowrap max-sm:hidden',
      headClassName: 'max-sm:hidden',
      cell: ({ reason }) => REASONS[reason] ?? reason,
    },
    {
      head: 'Correct address',
      className: 'min-w-44',
      cell: ({ row }) => (
        <TextInput
          aria-label={`Correct address of row ${formatNumber(row)}`}
          value={corrections.get(row) ?? ''}
          onChange={({ target }) => correct(row, target.value)}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="none"
          maxLength={1024}
        />
      ),
    },
  ]
}

type FormProps = { preview: UploadPreview; corrections: ReadonlyMap<number, string>; children: ReactNode }

function CorrectionForm({ preview, corrections, children }: FormProps) {
  const { upload_id: id, email_column: emailColumn } = preview
  const { probity } = useScene()
  const toasts = useToasts()
  const showReplaced = useReplacedUpload()
  const save = useMutation({
    mutationFn: () => {
      const values = [...corrections].map(([row, value]) => ({ row, value: value.trim() }))
      return probity.uploads.correct(id, values, { emailColumn })
    },
    onSuccess: async (next) => {
      toasts.done(`${formatCount(corrections.size, 'value')} corrected.`)
      await showReplaced(next, emailColumn)
    },
  })
  const download = useMutation({
    mutationFn: async () => new Response(await probity.uploads.downloadNonAddresses(id, { emailColumn })).blob(),
    onSuccess: (file) => saveFile(file, `${preview.filename.replace(/\.[^.]+$/, '')}-not-addresses.csv`),
  })
  const error = save.error ?? download.error
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (corrections.size > 0 && !save.isPending) save.mutate()
  }
  return (
    <form onSubmit={submit} className="mt-2 flex flex-col gap-3">
      {children}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" size="sm" disabled={corrections.size === 0} busy={save.isPending}>
          {corrections.size === 0 ? 'Save corrections' : `Save ${formatCount(corrections.size, 'correction')}`}
        </Button>
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
