import type { LeftOutReason } from '@probity/contract/constants/jobs'
import { isBlank, isBlankRow, type Open, readRows } from '@probity/uploads/csv'
import { chooseValues, readCell } from '@probity/uploads/read-cell'
import { besides, layoutOf, type SheetJob, type SheetRow } from './sheet-rows.ts'

const COLUMNS = ['probity_row', 'probity_left_out', 'probity_value']

/**
 * The rows of the uploaded file that were not validated, with their numbers and the reasons, page by page: rows without an address and rows
 * above the header once, others once for each value of the cell that was left out. Blank rows are counted only.
 */
export async function* readLeftOut(open: Open, job: SheetJob): AsyncGenerator<SheetRow[]> {
  const layout = layoutOf(job)
  const { columns } = job.file
  const { headerRow } = layout
  yield [[...columns, ...COLUMNS.map(besides(columns))]]
  for await (const page of readRows(open, { ...layout, headerRow: null })) {
    const rows = page.flatMap(({ row, cells }) => {
      if (row === headerRow || isBlankRow(cells)) return []
      const own = columns.map((_, n) => cells[n] ?? '')
      const isAbove = headerRow !== null && row < headerRow
      const leftOut = isAbove ? [{ reason: 'above_header' as const, value: '' }] : list(cells[layout.column] ?? '')
      return leftOut.map(({ reason, value }) => [...own, String(row), reason, value])
    })
    if (rows.length > 0) yield rows
  }

  function list(cell: string): { reason: LeftOutReason; value: string }[] {
    if (isBlank(cell)) return [{ reason: 'empty', value: '' }]
    const values = readCell(cell)
    if (values.length === 0) return [{ reason: 'no_address', value: cell.trim() }]
    return chooseValues(values, layout).leftOut.map(({ reason, email }) => ({ reason, value: email }))
  }
}
