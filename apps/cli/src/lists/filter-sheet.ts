import { Readable } from 'node:stream'
import type { OverrideAction } from '@probity/contract/override'
import { isKept, type PresetName } from '@probity/contract/preset'
import { type Parser, parse } from 'csv-parse'

export type Filtered = { kept: number; left: number }

type Record = { raw: string; record: string[] }

/**
 * The rows of an export that a preset keeps, each as it came. Its header says where our columns are: they are the last of their names,
 * since the file may be one of our exports come back. It is written with the customer's own delimiter and all cells in quotes.
 */
export async function* filterSheet(
  sheet: AsyncIterable<Uint8Array>,
  preset: PresetName,
  counted: Filtered,
): AsyncGenerator<string, void, undefined> {
  const options = { raw: true, bom: true, delimiter: DELIMITERS, relax_column_count: true, max_record_size: RECORD_MAX }
  const records: AsyncIterable<Record> = readRecords(sheet, parse(options))
  let columns: Columns | undefined
  for await (const { raw, record } of records) {
    if (columns === undefined) {
      columns = findColumns(record)
      yield lineOf(raw)
      continue
    }
    const cell = (column: number) => record[column] ?? ''
    const kind = { status: cell(columns.status), subStatus: cell(columns.reason) }
    const override = readOverride(cell(columns.override))
    if (!isKept(preset, { ...kind, safeToSend: cell(columns.safe) === 'true', override })) {
      counted.left++
      continue
    }
    counted.kept++
    yield lineOf(raw)
  }
}

/** A pipe alone would not tell the parser that the sheet broke off, and whoever waits for the next row would wait for ever. */
function readRecords(sheet: AsyncIterable<Uint8Array>, parser: Parser): Parser {
  const source = Readable.from(sheet, { objectMode: false })
  source.once('error', (error) => parser.destroy(error))
  parser.once('close', () => source.destroy())
  return source.pipe(parser)
}

/** The reader leaves half of the line's end behind the last quote. */
function lineOf(raw: string): string {
  return `${raw.slice(0, raw.lastIndexOf('"') + 1)}\r\n`
}

/** An export of an older service has no such column, and nothing is on a list there. */
function readOverride(cell: string): OverrideAction | null {
  return cell === 'allow' || cell === 'block' ? cell : null
}

type Columns = { status: number; reason: number; safe: number; override: number }

const DELIMITERS = [',', ';', '\t', '|']
/** Twice what a row may have, for what we add to it. */
const RECORD_MAX = 128 * 1_024

function findColumns(header: string[]): Columns {
  const look = (name: string) => header.findLastIndex((cell) => new RegExp(`^${name}(_\\d+)?$`).test(cell))
  const find = (name: string) => {
    const at = look(name)
    if (at === -1) throw new Error(`the export has no column ${name}`)
    return at
  }
  return {
    override: look('probity_override'),
    status: find('probity_status'),
    reason: find('probity_sub_status'),
    safe: find('probity_safe_to_send'),
  }
}
