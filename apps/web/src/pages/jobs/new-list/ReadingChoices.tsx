import type { UploadPreview } from '@probity/sdk'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { asRequestFailed } from '../../../session/client.ts'
import { useScene } from '../../../session/workspace.ts'
import { Callout } from '../../../ui/Callout.tsx'
import { Field, SelectInput } from '../../../ui/Field.tsx'
import { formatNumber } from '../../../ui/format.ts'
import { cellsOfPreview, useReplacedUpload } from './use-upload.ts'

/** The choices of the sheet of a workbook and of the header row. What is read with another choice is another upload, which replaces this one. */
export function ReadingChoices({ preview }: { preview: UploadPreview }) {
  return (
    <div className="grid items-start gap-x-5 gap-y-4 md:grid-cols-2">
      {preview.sheets.length > 1 && <SheetChoice preview={preview} />}
      <HeaderChoice preview={preview} />
    </div>
  )
}

function SheetChoice({ preview }: { preview: UploadPreview }) {
  const { upload_id: id, sheets, sheet } = preview
  const { probity } = useScene()
  return (
    <Choice
      label="Sheet"
      hint={`The workbook has ${sheets.length} sheets. One of them is validated.`}
      value={sheet ?? ''}
      choices={sheets.map((name) => [name, name])}
      choose={(name) => probity.uploads.chooseSheet(id, name, cellsOfPreview(preview))}
      reading="Reading the sheet."
      failed="The sheet could not be read"
    />
  )
}

const NO_HEADER = ''

function HeaderChoice({ preview }: { preview: UploadPreview }) {
  const { upload_id: id, header_row: header, first_rows: rows } = preview
  const { probity } = useScene()
  const known = rows.map(({ row, values }) => [String(row), nameRow(row, values)] as const)
  // A header below the first rows.
  const other =
    header !== null && !rows.some(({ row }) => row === header) ? [[String(header), nameRow(header, [])] as const] : []
  return (
    <Choice
      label="Header row"
      hint={describeAbove(preview)}
      value={header === null ? NO_HEADER : String(header)}
      choices={[...known, ...other, [NO_HEADER, 'No header']]}
      choose={(row) =>
        probity.uploads.chooseHeader(id, row === NO_HEADER ? null : Number(row), cellsOfPreview(preview))
      }
      reading="Reading the file."
      failed="The header row could not be changed"
    />
  )
}

const TEXT_UNITS_MAX = 60
const ROWS_NAMED = 3

/** "Row 3: Name, E-mail, City" */
function nameRow(row: number, values: readonly string[]): string {
  const text = textOf(values)
  return `Row ${formatNumber(row)}${text && `: ${text}`}`
}

function textOf(values: readonly string[]): string {
  const text = values.filter((value) => value.trim() !== '').join(', ')
  return text.length > TEXT_UNITS_MAX ? `${text.slice(0, TEXT_UNITS_MAX - 1).trimEnd()}…` : text
}

function describeAbove({ header_row: header, first_rows: rows }: UploadPreview): string {
  if (header === null) return 'All rows are part of the list. The columns are numbered.'
  const above = rows.filter(({ row }) => row < header)
  if (above.length === 0) return 'The row with the column names.'
  const named = above.slice(0, ROWS_NAMED).map(({ row, values }) => `row ${row} “${textOf(values)}”`)
  const others = above.length - named.length
  return `Left out above it: ${named.join(', ')}${others > 0 ? `, and ${others} more` : ''}.`
}

type ChoiceProps = {
  label: string
  hint: ReactNode
  value: string
  choices: readonly (readonly [value: string, name: string])[]
  choose(value: string): PromiseLike<UploadPreview>
  reading: string
  failed: string
}

function Choice({ label, hint, value, choices, choose, reading, failed }: ChoiceProps) {
  const showReplaced = useReplacedUpload()
  const choice = useMutation({
    mutationFn: async (next: string) => choose(next),
    onSuccess: (next) => showReplaced(next),
  })
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Field label={label} hint={hint}>
        {(ids) => (
          <SelectInput
            {...ids}
            value={choice.isPending ? choice.variables : value}
            aria-busy={choice.isPending}
            onChange={({ target }) => !choice.isPending && choice.mutate(target.value)}
            className="text-ellipsis"
          >
            {choices.map(([key, name]) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </SelectInput>
        )}
      </Field>
      <p role="status" className="text-soft empty:hidden">
        {choice.isPending && reading}
      </p>
      {choice.error && (
        <Callout kind="error" live title={failed}>
          {asRequestFailed(choice.error).message}
        </Callout>
      )}
    </div>
  )
}
