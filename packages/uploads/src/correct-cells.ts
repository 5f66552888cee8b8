import { isBlank, type Open, readRows } from './csv.ts'
import { type Layout, readCell } from './read-addresses.ts'
import { rewriteRows } from './rewrite-rows.ts'

/** A value of the email column that is not an address: text without one, or one with a syntax error. */
export type NonAddress = { row: number; value: string; reason: 'no_address' | 'syntax_error' }

type Page = { skip: number; limit: number }

/** One page of the values that are not addresses, in the order of the rows, and their number. */
export async function listNonAddresses(
  open: Open,
  layout: Layout,
  { skip, limit }: Page,
): Promise<{ values: NonAddress[]; total: number }> {
  const values: NonAddress[] = []
  let total = 0
  for await (const found of readNonAddresses(open, layout)) {
    const from = Math.max(0, skip - total)
    values.push(...found.slice(from, from + limit - values.length))
    total += found.length
  }
  return { values, total }
}

/** All of them, as the file is read. */
export async function* readNonAddresses(open: Open, { column, ...writing }: Layout): AsyncGenerator<NonAddress[]> {
  for await (const page of readRows(open, writing)) {
    const found = page.flatMap(({ row, cells, isHeader }) => {
      const value = (cells[column] ?? '').trim()
      const reason = isHeader || value === '' ? undefined : reasonOf(readCell(value))
      return reason === undefined ? [] : [{ row, value, reason }]
    })
    if (found.length > 0) yield found
  }
}

function reasonOf(cell: ReturnType<typeof readCell>): NonAddress['reason'] | undefined {
  if (cell.kind === 'text') return 'no_address'
  return cell.kind === 'broken' ? 'syntax_error' : undefined
}

/** The new value of the email column in a row. An empty value leaves the row without an address. */
type Correction = { row: number; value: string }

export type FileCorrection = { layout: Layout; corrections: Correction[] }

/** Writes the file with corrected values. Returns the number of changed rows. */
export function correctInFile(from: string, to: string, { layout, corrections }: FileCorrection): Promise<number> {
  const values = new Map(corrections.map(({ row, value }) => [row, value]))
  let isBeforeHeader = layout.hasHeader
  return rewriteRows([from, to], layout, ({ row, cells }) => {
    const isHeader = isBeforeHeader && !cells.every(isBlank)
    if (isHeader) isBeforeHeader = false
    const value = values.get(row)
    if (isHeader || value === undefined || value === (cells[layout.column] ?? '')) return cells
    const filled = Array.from({ length: Math.max(cells.length, layout.column + 1) }, (_, n) => cells[n] ?? '')
    return filled.with(layout.column, value)
  })
}
