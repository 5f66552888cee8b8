import type { UploadPreview } from '@probity/sdk'
import { clsx } from 'clsx'
import { AtSign } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Card } from '../../../ui/Card.tsx'
import { Table } from '../../../ui/Table.tsx'

const CELL = 'border-b border-line px-3 py-2 text-start max-w-64 truncate first:ps-5 last:pe-5'

/** The first rows as parsed, with the chosen column highlighted. */
export function SampleRows({ preview, column }: { preview: UploadPreview; column: string | undefined }) {
  const { columns, sample_rows: rows } = preview
  const chosen = columns.indexOf(column ?? '')
  const mark = useRef<HTMLTableCellElement>(null)
  useEffect(() => showColumn(mark.current, chosen), [chosen])
  const caption = rows.length < preview.row_count ? `First ${rows.length} rows` : 'All rows'
  return (
    <Card title={caption} className="min-w-0 overflow-hidden">
      <Table caption={caption} className="-mx-5 -mb-4 border-t border-line">
        <thead>
          <tr>
            {columns.map((name, n) => (
              <th
                key={name}
                scope="col"
                {...(n === chosen && { ref: mark })}
                className={clsx(
                  CELL,
                  'text-xs font-medium',
                  n === chosen ? 'bg-accent-soft text-accent-text' : 'text-faint',
                )}
              >
                <span className="inline-flex items-center gap-1.5">
                  {n === chosen && <AtSign className="size-3.5" aria-hidden="true" />}
                  {name}
                  {n === chosen && <span className="sr-only">, to be validated</span>}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="[&_tr:last-child>td]:border-b-0">
          {rows.map((cells, row) => (
            <tr key={row}>
              {columns.map((name, n) => (
                <td key={name} className={clsx(CELL, n === chosen && 'bg-accent-soft font-medium')}>
                  {cells[n] || <span className="text-faint">empty</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  )
}

/** Scrolls only the table, so that the page does not jump while the user changes the column. */
function showColumn(cell: HTMLTableCellElement | null, chosen: number): void {
  const region = cell?.closest('section[tabindex]')
  if (!cell || !region || chosen < 0) return
  const isInSight =
    cell.offsetLeft >= region.scrollLeft && cell.offsetLeft + cell.offsetWidth <= region.scrollLeft + region.clientWidth
  if (!isInSight) region.scrollLeft = cell.offsetLeft - 24
}
