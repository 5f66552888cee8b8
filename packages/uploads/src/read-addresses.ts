import { DELIMITERS } from './delimiter.ts'
import { ENCODINGS } from './encoding.ts'
import { isBlank, type Open, readRows, type Writing } from './read-rows.ts'

/** How a file is written and which of its columns holds the addresses, counted from 0. */
export type Layout = Writing & { column: number }

type Noted = { encoding: string; delimiter: string; hasHeader: boolean; column: number }

/** A layout from what was noted of it, in words of which the database knows less than we do. */
export function readLayout(noted: Noted): Layout {
  const encoding = ENCODINGS.find((known) => known === noted.encoding)
  const delimiter = DELIMITERS.find((known) => known === noted.delimiter)
  if (encoding === undefined || delimiter === undefined) throw new Error('no file is written like this')
  return { encoding, delimiter, hasHeader: noted.hasHeader, column: noted.column }
}

/** The row is the one that a spreadsheet shows. Nothing more is read before its promise is kept. */
type Take = (email: string, row: number) => void | Promise<void>

/**
 * Hands on the emails of one column, each without the white space around it; rows without one are passed over. Every count of
 * emails is made by this, so that a job has as many as its preview said.
 */
export async function readAddresses(open: Open, layout: Layout, take: Take): Promise<void> {
  for await (const page of readRows(open, layout)) {
    for (const { row, cells, isHeader } of page) {
      const cell = cells[layout.column] ?? ''
      if (isHeader || isBlank(cell)) continue
      const taken = take(cell.trim(), row)
      if (taken) await taken
    }
  }
}
