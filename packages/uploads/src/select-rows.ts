import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { resultNoOf } from '@probity/contract/constants/jobs'
import { stringify } from 'csv-stringify/sync'
import { type Row, readRows, type Writing } from './csv.ts'
import type { Layout } from './read-addresses.ts'
import { chooseValues, keyOfValue, readCell } from './read-cell.ts'

/** A stored file, and the numbers of the results whose addresses to select. */
export type RowSelection = { layout: Layout; resultNos: readonly number[] }

/** The new file: its format is the one of the old file, in UTF-8, with the header in its first row. */
export type SelectedRows = { rowCount: number; uniqueCount: number; sizeBytes: number }

/** The encoding of selected rows: it has every character of the others. */
export const SELECTION_ENCODING = 'utf-8' satisfies Writing['encoding']

/**
 * Writes the header and the rows with these addresses, repetitions of an address included. A row with several addresses is written once for
 * each selected one, with nothing else in the cell. Rows get new numbers.
 */
export async function selectRows(from: string, to: string, selection: RowSelection): Promise<SelectedRows> {
  const { layout } = selection
  const selector = openSelector(selection)
  let rowCount = 0
  async function* selected(): AsyncGenerator<Buffer> {
    for await (const page of readRows(() => createReadStream(from), layout)) {
      const kept = page.flatMap((row) => {
        if (row.isHeader) return [row.cells]
        const rows = selector.select(row)
        rowCount += rows.length
        return rows
      })
      if (kept.length > 0) yield Buffer.from(stringify(kept, { delimiter: layout.delimiter, quoted: true }))
    }
  }
  await pipeline(selected(), createWriteStream(to))
  return { rowCount, uniqueCount: selector.uniqueCount(), sizeBytes: (await stat(to)).size }
}

/** An address has its result where it occurs first; later occurrences repeat it. */
function openSelector({ layout, resultNos }: RowSelection) {
  const wanted = new Set(resultNos)
  const keys = new Set<string>()
  return {
    uniqueCount: () => keys.size,
    select({ row, cells }: Row): string[][] {
      const values = readCell(cells[layout.column] ?? '')
      const { chosen } = chooseValues(values, layout)
      const selected = chosen.filter(({ position, value }) => {
        const key = keyOfValue(value)
        if (wanted.has(resultNoOf(row, position))) keys.add(key)
        return keys.has(key)
      })
      return selected.map(({ email }) => (values.length === 1 ? cells : cells.with(layout.column, email)))
    },
  }
}
