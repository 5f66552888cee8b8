import type { Delimiter } from './delimiter.ts'
import { asUtf8, type Encoding } from './encoding.ts'
import { type CsvRecord, readRecords } from './records.ts'

/** Opens a file at its beginning. */
export type Open = () => AsyncIterable<Buffer>

/** How a file is written, as its preview found. */
export type Writing = { encoding: Encoding; delimiter: Delimiter; hasHeader: boolean }

export type Row = CsvRecord & { isHeader: boolean }

/**
 * The rows of a whole file in order, its header first, page by page; the next page is read when the last was taken. Empty lines and
 * rows in which nothing but white space stands are no rows, here as in every count. Throws a Refusal for what cannot be read.
 */
export async function* readRows(open: Open, { encoding, delimiter, hasHeader }: Writing): AsyncGenerator<Row[]> {
  let isHeader = hasHeader
  for await (const records of readRecords(asUtf8(open(), encoding), delimiter)) {
    const page: Row[] = []
    for (const { row, cells } of records) {
      if (cells.every(isBlank)) continue
      page.push({ row, cells, isHeader })
      isHeader = false
    }
    if (page.length > 0) yield page
  }
}

export function isBlank(cell: string): boolean {
  return cell === '' || cell.trim() === ''
}
