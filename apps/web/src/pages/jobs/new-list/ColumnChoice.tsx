import type { UploadPreview } from '@probity/sdk'
import { CircleAlert } from 'lucide-react'
import { useId } from 'react'
import { Badge } from '../../../ui/Badge.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Radio } from '../../../ui/Field.tsx'
import { formatCount, formatShare } from '../../../ui/format.ts'

type Details = UploadPreview['column_details'][number]
type ChoiceProps = {
  preview: UploadPreview
  column: string | undefined
  onChange(column: string): void
  isMissed: boolean
}

/** The columns with a summary of their values: those with addresses first, the others collapsed. */
export function ColumnChoice({ preview, column, onChange, isMissed }: ChoiceProps) {
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
