import { createReadStream } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { type AddressMatcher, openAddressMatcher } from '@probity/engine/address/match-address'
import { mayNeedRepair, simplifyText } from '@probity/engine/address/repair'
import { asUtf8, type CsvRecord, readRecords, type Writing } from './csv.ts'
import { ERASED_CELL, readCell } from './read-cell.ts'
import { rewriteRows } from './rewrite-rows.ts'

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
 * Writes the file without the address. A row with the address in the email column is about its owner, so all of its cells are removed, but
 * for other addresses in the email column; in other rows only the cells with the address are. Rows and values keep their numbers, which
 * identify their results. Returns the number of changed rows; if it is 0, the new file is not complete.
 */
export async function eraseInFile(from: string, to: string, erasure: FileErasure): Promise<number> {
  const { writing, email, column } = erasure
  if (!(await findInFile(from, erasure))) return 0
  const address = openAddressMatcher(email)
  return rewriteRows([from, to], writing, ({ cells }) => eraseCells(cells, address, column))
}

function eraseCells(cells: CsvRecord['cells'], address: AddressMatcher, column: number): string[] {
  if (!cells.some(address.isIn)) return cells
  const own = cells[column] ?? ''
  if (address.isIn(own)) return cells.map((_, n) => (n === column ? eraseValue(own, address) : ''))
  return cells.map((cell) => (address.isIn(cell) ? ERASED_CELL : cell))
}

/** A line break separates values like any separator, and no value contains one. */
function eraseValue(cell: string, address: AddressMatcher): string {
  const values = readCell(cell)
  if (values.length < 2) return ERASED_CELL
  return values
    .map((value) => (value.kind === 'erased' || address.isIn(value.email) ? ERASED_CELL : value.email))
    .join('\n')
}

/** Most files do not contain the address, and a search for a text takes a fraction of the time of reading cells. */
async function hasProbe(bytes: AsyncIterable<Buffer>, probe: string): Promise<boolean> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const chunk of bytes) {
    const text = (rest + simplifyText(decoder.write(chunk))).toLowerCase()
    // A probe is ASCII. An address in a `mailto:` URI can be percent-encoded, and one in words has no @.
    if (text.includes(probe) || (probe === '@' && (text.includes('%40') || mayNeedRepair(text)))) return true
    rest = text.slice(-probe.length - 1)
  }
  return false
}
