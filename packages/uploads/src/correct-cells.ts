import { isBlank, type Open, readRows } from './csv.ts'
import { type Layout, openSuggestions } from './read-addresses.ts'
import { type CellValue, readCell } from './read-cell.ts'
import { rewriteRows } from './rewrite-rows.ts'

/** A value of the email column that is not an address: text without one, or a cell in which one has a syntax error. */
export type NonAddress = { row: number; value: string; reason: 'no_address' | 'syntax_error' }

/** A cell with an address whose domain looks mistyped, and the cell with the domain that was probably meant. */
export type Suggestion = { row: number; value: string; suggestion: string }

type Page = { skip: number; limit: number }

/** One page of what a reading finds, in the order of the rows, and the number of all. */
export async function readPage<T>(
  all: AsyncIterable<T[]>,
  { skip, limit }: Page,
): Promise<{ values: T[]; total: number }> {
  const values: T[] = []
  let total = 0
  for await (const found of all) {
    const from = Math.max(0, skip - total)
    values.push(...found.slice(from, from + limit - values.length))
    total += found.length
  }
  return { values, total }
}

/** The values that are not addresses, as the file is read. */
export function readNonAddresses(open: Open, layout: Layout): AsyncGenerator<NonAddress[]> {
  return readCells(open, layout, (cell) => {
    const reason = reasonOf(readCell(cell.value), layout)
    return reason === undefined ? undefined : { ...cell, reason }
  })
}

/** Of several values the first address is enough, unless all are validated. */
function reasonOf(values: CellValue[], { several }: Layout): NonAddress['reason'] | undefined {
  const hasAddress = values.some(({ kind }) => kind === 'address')
  const isMalformed = values.some(({ kind }) => kind === 'malformed')
  if (isMalformed && (several === 'all' || !hasAddress)) return 'syntax_error'
  return hasAddress ? undefined : 'no_address'
}

/** The suggestions for a column, as the file is read. */
export function readSuggestions(open: Open, layout: Layout): AsyncGenerator<Suggestion[]> {
  const suggest = openSuggester()
  return readCells(open, layout, (cell) => {
    const suggestion = suggest(cell.value)
    return suggestion === undefined ? undefined : { ...cell, suggestion }
  })
}

/** A cell with every mistyped domain replaced; undefined if there is none. Names and other addresses are kept. */
function openSuggester(): (cell: string) => string | undefined {
  const suggestionFor = openSuggestions()
  return (cell) => {
    let corrected = cell
    for (const value of readCell(cell)) {
      const suggestion = value.kind === 'address' ? suggestionFor(value) : null
      if (suggestion === null || value.kind !== 'address') continue
      // A repaired address is not in the cell as it is.
      corrected = corrected.includes(value.email) ? corrected.replace(value.email, () => suggestion) : suggestion
    }
    return corrected === cell ? undefined : corrected
  }
}

type FoundCell = { row: number; value: string }

async function* readCells<T>(
  open: Open,
  { column, ...writing }: Layout,
  find: (cell: FoundCell) => T | undefined,
): AsyncGenerator<T[]> {
  for await (const page of readRows(open, writing)) {
    const found = page.flatMap(({ row, cells, isHeader }) => {
      const value = (cells[column] ?? '').trim()
      return isHeader || isBlank(value) ? [] : (find({ row, value }) ?? [])
    })
    if (found.length > 0) yield found
  }
}

/** The new value of the email column in a row. An empty value leaves the row without an address. */
type Correction = { row: number; value: string }

export type FileCorrection = { layout: Layout; corrections: Correction[]; acceptsSuggestions: boolean }

/** Writes the file with corrected values, and with all suggestions for the other values if they are accepted. Returns the number of changed rows. */
export function correctInFile(
  from: string,
  to: string,
  { layout, corrections, acceptsSuggestions }: FileCorrection,
): Promise<number> {
  const { column, headerRow } = layout
  const values = new Map(corrections.map(({ row, value }) => [row, value]))
  const suggest = openSuggester()
  return rewriteRows([from, to], layout, ({ row, cells }) => {
    const cell = cells[column] ?? ''
    const value = values.get(row) ?? (acceptsSuggestions ? suggest(cell.trim()) : undefined)
    if (row <= (headerRow ?? 0) || value === undefined || value === cell) return cells
    return Array.from({ length: Math.max(cells.length, column + 1) }, (_, n) => cells[n] ?? '').with(column, value)
  })
}
