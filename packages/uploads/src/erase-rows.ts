import { createReadStream } from 'node:fs'
import { type AddressMatcher, openAddressMatcher } from '@probity/engine/address/find-address'
import { asUtf8, type CsvRecord, readRecords, type Writing } from './csv.ts'
import { rewriteRows } from './rewrite-rows.ts'

/** Replaces the cells of an erased address in a stored file. It is not an address, so no job reads it as one. */
export const ERASED_CELL = 'erased'

/** A stored file and the address to search for, in any spelling and any cell. */
export type FileSearch = { writing: Pick<Writing, 'encoding' | 'delimiter'>; email: string }

/** `column` is the email column, counted from 0. */
export type FileErasure = FileSearch & { column: number }

/** Whether a cell of the file contains the address. */
export async function findInFile(path: string, { writing, email }: FileSearch): Promise<boolean> {
  const address = openAddressMatcher(email)
  const open = () => asUtf8(createReadStream(path), writing.encoding)
  if (!(await hasProbe(open(), address.probe))) return false
  for await (const records of readRecords(open(), writing.delimiter)) {
    if (records.some(({ cells }) => cells.some(address.isIn))) return true
  }
  return false
}

/**
 * Writes the file without the address. A row with the address in the email column is about its owner, so all of its cells are removed; in
 * other rows only the cells with the address are. Rows keep their numbers, which identify their results. Returns the number of changed
 * rows;
 * if it is 0, the new file is not complete.
 */
export async function eraseInFile(from: string, to: string, erasure: FileErasure): Promise<number> {
  const { writing, email, column } = erasure
  if (!(await findInFile(from, erasure))) return 0
  const address = openAddressMatcher(email)
  return rewriteRows([from, to], writing, ({ cells }) => eraseCells(cells, address, column))
}

function eraseCells(cells: CsvRecord['cells'], address: AddressMatcher, column: number): string[] {
  if (!cells.some(address.isIn)) return cells
  const isOwnRow = address.isIn(cells[column] ?? '')
  if (isOwnRow) return cells.map((_, n) => (n === column ? ERASED_CELL : ''))
  return cells.map((cell) => (address.isIn(cell) ? ERASED_CELL : cell))
}

/** Most files do not contain the address, and a search for a text takes a fraction of the time of reading cells. */
async function hasProbe(bytes: AsyncIterable<Buffer>, probe: string): Promise<boolean> {
  let rest = ''
  for await (const chunk of bytes) {
    const text = (rest + chunk.toString('latin1')).toLowerCase()
    // A probe is ASCII. An address in a `mailto:` URI can be percent-encoded.
    if (text.includes(probe) || (probe === '@' && text.includes('%40'))) return true
    rest = text.slice(-probe.length - 1)
  }
  return false
}
