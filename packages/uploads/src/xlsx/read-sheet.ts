import { COLUMNS_MAX, cellTooLong, isTooLong, tooLong, tooManyColumns } from '../csv.ts'
import { Refusal } from '../refusal.ts'
import { type NumberForms, type RawCell, type SharedStrings, showCell } from './cell-values.ts'
import { BadXml, readXml } from './read-xml.ts'
import { openTextCollector } from './workbook.ts'

/** Cells with a value, in all sheets that are read. A file of 100,000 rows has this many with 50 columns. */
const CELLS_MAX = 5_000_000
/** The numbers of the last row and the last column of a spreadsheet. */
const ROW_MAX = 1_048_576
const COLUMN_MAX = 16_384
const ROW_UNITS_MAX = 64 * 1024

/** A row that is not blank, numbered from 1. */
type SheetRow = { row: number; cells: string[] }

export type SheetTexts = { shared: SharedStrings; forms: NumberForms; countCell(): void }

/** The rows of a sheet in order, as they are parsed, without blank ones. Formulas have their last value. */
export async function* readSheetRows(bytes: AsyncIterable<Buffer>, texts: SheetTexts): AsyncGenerator<SheetRow[]> {
  let rows: SheetRow[] = []
  const reader = openRowReader(texts, (row) => rows.push(row))
  for await (const _ of readXml(bytes, reader)) {
    if (rows.length === 0) continue
    yield rows
    rows = []
  }
}

function openRowReader({ shared, forms, countCell }: SheetTexts, take: (row: SheetRow) => void) {
  const collector = openTextCollector()
  let row = 0
  let column = -1
  let cells: string[] = []
  let units = 0
  let cell: Omit<RawCell, 'text'> | undefined

  function beginRow({ r }: Record<string, string>): void {
    const next = r === undefined ? row + 1 : Number(r)
    if (!Number.isInteger(next) || next <= row || next > ROW_MAX) throw new BadXml('rows out of order')
    row = next
    column = -1
    units = 0
    cells = []
  }

  function beginCell({ r, t: type, s: style }: Record<string, string>): void {
    const next = r === undefined ? column + 1 : columnOf(r)
    if (next <= column || next >= COLUMN_MAX) throw new BadXml('cells out of order')
    column = next
    cell = { type, style }
    collector.begin()
  }

  function endCell(): void {
    if (cell === undefined) return
    const text = collector.take()
    const shown = text === '' ? '' : showCell({ ...cell, text }, shared, forms)
    cell = undefined
    if (shown === '') return
    countCell()
    if (column >= COLUMNS_MAX) throw tooManyColumns(row)
    if (isTooLong(shown)) throw cellTooLong(row)
    units += shown.length
    if (units > ROW_UNITS_MAX) throw tooLong(row)
    while (cells.length < column) cells.push('')
    cells.push(shown)
  }

  return {
    open(name: string, attributes: Record<string, string>): void {
      if (name === 'row') beginRow(attributes)
      else if (name === 'c') beginCell(attributes)
      else collector.open(name)
    },
    text: collector.text,
    close(name: string): void {
      collector.close(name)
      if (name === 'c') endCell()
      if (name === 'row' && cells.some((text) => text.trim() !== '')) take({ row, cells })
    },
  }
}

/** The column of a reference such as `AB12`, counted from 0. */
function columnOf(reference: string): number {
  const [letters] = /^[A-Z]{1,3}(?=\d)/.exec(reference) ?? []
  if (letters === undefined) throw new BadXml('cell reference')
  return Array.from(letters).reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

/** Counts the cells of all sheets of a workbook. */
export function openCellCounter(): () => void {
  let count = 0
  return () => {
    if (++count > CELLS_MAX) throw tooManyCells()
  }
}

function tooManyCells(): Refusal {
  const most = CELLS_MAX.toLocaleString('en')
  return new Refusal('file_too_large', `The workbook has more than ${most} cells.`)
}
