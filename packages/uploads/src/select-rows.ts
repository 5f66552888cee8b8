import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify/sync'
import { isBlank, type Row, readRows, type Writing } from './csv.ts'
import { keyOfCell, type Layout, readCell } from './read-addresses.ts'

/** A stored file, and the first rows of the addresses to select. */
export type RowSelection = { layout: Layout; rowNos: readonly number[] }

/** The new file: its format is the one of the old file, in UTF-8. */
export type SelectedRows = { rowCount: number; emailCount: number; uniqueCount: number; sizeBytes: number }

/** The encoding of selected rows: it has every character of the others. */
export const SELECTION_ENCODING = 'utf-8' satisfies Writing['encoding']

/** Writes the header and the rows with these addresses, repetitions of an address included. Rows get new numbers. */
export async function selectRows(from: string, to: string, selection: RowSelection): Promise<SelectedRows> {
  const { layout } = selection
  const isSelected = openSelection(selection)
  const found = { rowCount: 0, uniqueCount: 0 }
  async function* selected(): AsyncGenerator<Buffer> {
    for await (const page of readRows(() => createReadStream(from), layout)) {
      const kept: string[][] = []
      for (const row of page) {
        const part = row.isHeader ? 'header' : isSelected(row)
        if (part === undefined) continue
        kept.push(row.cells)
        if (part !== 'header') found.rowCount++
        if (part === 'first') found.uniqueCount++
      }
      if (kept.length > 0) yield Buffer.from(stringify(kept, { delimiter: layout.delimiter, quoted: true }))
    }
  }
  await pipeline(selected(), createWriteStream(to))
  return { ...found, emailCount: found.rowCount, sizeBytes: (await stat(to)).size }
}

type Part = 'first' | 'repeated'

/** An address is first found in one of the rows; later rows with the same address repeat it. */
function openSelection({ layout, rowNos }: RowSelection): (row: Row) => Part | undefined {
  const wanted = new Set(rowNos)
  const keys = new Set<string>()
  return ({ row, cells }) => {
    const text = cells[layout.column] ?? ''
    if (isBlank(text)) return undefined
    const cell = readCell(text)
    if (cell.kind === 'text') return undefined
    const key = keyOfCell(cell)
    if (keys.has(key)) return 'repeated'
    if (!wanted.has(row)) return undefined
    keys.add(key)
    return 'first'
  }
}
