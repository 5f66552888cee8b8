import type { UploadPreview } from '@probity/sdk'
import { formatCount, formatNumber } from '../../../ui/format.ts'

/** Explains how cells that are not plain addresses are read, and which are skipped. */
export function CellNotes({ preview }: { preview: UploadPreview }) {
  const { extracted_count: extracted, livemode } = preview
  const broken = countBroken(preview)
  return (
    <div className="mt-3 flex flex-col gap-2 text-[0.8125rem] text-soft empty:hidden">
      {extracted > 0 && (
        <p>
          {formatCount(extracted, 'cell contains', 'cells contain')} an address with a name or other text. The address
          is validated, and the download keeps the cell.
        </p>
      )}
      {broken > 0 && (
        <p>
          {formatCount(broken, 'row has', 'rows have')} an address with a syntax error. The result is invalid
          {livemode && ', for 1 credit per unique address'}.
        </p>
      )}
      <SkippedRows preview={preview} />
    </div>
  )
}

/** Rows whose cell is meant as an address and has a syntax error. */
function countBroken({ column_details: details, email_column: column, email_count: emails }: UploadPreview): number {
  const chosen = details.find(({ name }) => name === column)
  return Math.max(0, emails - (chosen?.address_count ?? 0))
}

function SkippedRows({ preview }: { preview: UploadPreview }) {
  const { not_address_count: rows, not_address_examples: examples } = preview
  if (rows === 0) return null
  const caption =
    rows > examples.length ? `The first ${examples.length} of ${formatNumber(rows)} rows` : 'All skipped rows'
  return (
    <div>
      <p>
        {formatCount(rows, 'row contains', 'rows contain')} text without an address. Skipped rows are not validated and
        not charged.
      </p>
      <details className="mt-1">
        <summary className="min-h-6 w-fit text-accent-text underline underline-offset-4">Show skipped rows</summary>
        <table className="mt-2 w-full border-collapse text-start">
          <caption className="pb-1 text-start text-faint">{caption}</caption>
          <thead className="sr-only">
            <tr>
              <th scope="col">Row</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {examples.map(({ row, value }) => (
              <tr key={row} className="border-t border-line">
                <th scope="row" className="w-24 py-1.5 pe-3 text-start font-normal whitespace-nowrap tabular-nums">
                  Row {formatNumber(row)}
                </th>
                <td className="py-1.5 font-mono text-xs text-ink [overflow-wrap:anywhere]">{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </div>
  )
}
