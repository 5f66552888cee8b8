import { DELIMITERS } from './delimiter.ts'
import { ENCODINGS } from './encoding.ts'
import { type Cell, keyOfCell, readCell } from './read-cell.ts'
import { isBlank, type Open, readRows, type Writing } from './read-rows.ts'

/** Format of a file and the index of the column with the addresses, counted from 0. */
export type Layout = Writing & { column: number }

type Noted = { encoding: string; delimiter: string; hasHeader: boolean; column: number }

/** A layout from what was noted of it, in words of which the database knows less than we do. */
export function readLayout(noted: Noted): Layout {
  const encoding = ENCODINGS.find((known) => known === noted.encoding)
  const delimiter = DELIMITERS.find((known) => known === noted.delimiter)
  if (encoding === undefined || delimiter === undefined) throw new Error('unexpected file format')
  return { encoding, delimiter, hasHeader: noted.hasHeader, column: noted.column }
}

/** The row is the one that a spreadsheet shows. Nothing more is read before its promise is kept. */
type Take = (found: { email: string; row: number; key: string }) => void | Promise<void>

/**
 * Passes on the addresses of one column, without display names and white space around them. Rows without an address are skipped.
 * Previews, plans and exports all read cells by `readCell`, so that a job has as many addresses as its preview counted.
 */
export async function readAddresses(open: Open, layout: Layout, take: Take): Promise<void> {
  await readCells(open, layout, ({ cell, row }) =>
    cell.kind === 'text' ? undefined : take({ email: cell.email, row, key: keyOfCell(cell) }),
  )
}

type CellInRow = { cell: Cell; text: string; row: number }
type TakeCell = (found: CellInRow) => void | Promise<void>

/** Passes on the cells of one column that are not blank. */
export async function readCells(open: Open, layout: Layout, take: TakeCell): Promise<void> {
  for await (const page of readRows(open, layout)) {
    for (const { row, cells, isHeader } of page) {
      const text = cells[layout.column] ?? ''
      if (isHeader || isBlank(text)) continue
      const taken = take({ cell: readCell(text), text, row })
      if (taken) await taken
    }
  }
}
