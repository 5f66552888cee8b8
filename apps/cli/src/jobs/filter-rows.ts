import { Readable } from 'node:stream'
import { isKept, type PresetName } from '@probity/contract/constants/jobs'
import type { OverrideAction } from '@probity/contract/constants/policies'
import { type Parser, parse } from 'csv-parse'

export type RowCounts = { kept: number; dropped: number }

/** A row of an export: its text as it came, and its cells. */
export type Row = { line: string; cells: string[] }

/**
 * The header and the rows of a CSV export that a preset keeps. The columns of the service are the last of their names, since the file may
 * be an earlier export. Exports have the delimiter of the uploaded file and quotes around all cells.
 */
export async function* filterRows(
  csv: AsyncIterable<Uint8Array>,
  preset: PresetName,
  counts: RowCounts,
): AsyncGenerator<Row, void, undefined> {
  const options = { raw: true, bom: true, delimiter: DELIMITERS, relax_column_count: true, max_record_size: ROW_MAX }
  let columns: Columns | undefined
  for await (const { raw, record: cells } of parseRows(csv, parse(options)) as AsyncIterable<Parsed>) {
    const row = { line: lineOf(raw), cells }
    if (columns === undefined) {
      columns = findColumns(cells)
      yield row
      continue
    }
    const cell = (column: number) => cells[column] ?? ''
    const kind = { status: cell(columns.status), subStatus: cell(columns.reason) }
    const override = readOverride(cell(columns.override))
    if (isKept(preset, { ...kind, safeToSend: cell(columns.safe) === 'true', override })) {
      counts.kept++
      yield row
    } else counts.dropped++
  }
}

type Parsed = { raw: string; record: string[] }

/** A pipe does not pass errors on: without this, the parser would wait forever after a failed download. */
function parseRows(csv: AsyncIterable<Uint8Array>, parser: Parser): Parser {
  const source = Readable.from(csv, { objectMode: false })
  source.once('error', (error) => parser.destroy(error))
  parser.once('close', () => source.destroy())
  return source.pipe(parser)
}

/** The parser leaves part of the line end after the last quote. */
function lineOf(raw: string): string {
  return `${raw.slice(0, raw.lastIndexOf('"') + 1)}\r\n`
}

function readOverride(cell: string): OverrideAction | null {
  return cell === 'allow' || cell === 'block' ? cell : null
}

type Columns = { status: number; reason: number; safe: number; override: number }

const DELIMITERS = [',', ';', '\t', '|']
/** Twice the maximum of an uploaded row, for the columns of the service. */
const ROW_MAX = 128 * 1_024

function findColumns(header: string[]): Columns {
  const find = (name: string) => header.findLastIndex((cell) => new RegExp(`^${name}(_\\d+)?$`).test(cell))
  const get = (name: string) => {
    const column = find(name)
    if (column === -1) throw new Error(`the export has no column ${name}`)
    return column
  }
  return {
    // Absent in exports of older services.
    override: find('probity_override'),
    status: get('probity_status'),
    reason: get('probity_sub_status'),
    safe: get('probity_safe_to_send'),
  }
}
