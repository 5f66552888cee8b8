import { finished } from 'node:stream/promises'
import { type CsvError, type Parser, parse } from 'csv-parse'
import type { Delimiter } from './delimiter.ts'
import { Refusal } from './refusal.ts'

const RECORD_BYTES_MAX = 64 * 1024
const CELL_BYTES_MAX = 4 * 1024
const COLUMNS_MAX = 256
/** Rows may have no address and then do not count against the plan, but reading them takes its time. */
const ROWS_MAX = 1_000_000
/** Between two of these we look how far the parser came: in between it only gathers. */
const SLICE_BYTES = 16 * 1024

/** The number is the one that a spreadsheet shows: the first line is 1, and empty lines count. */
export type CsvRecord = { row: number; cells: string[] }

/**
 * Reads CSV in UTF-8 within limits and yields the records of each chunk. The next chunk is read only after the consumer is ready, so
 * a slow consumer does not increase memory use.
 */
export async function* readRecords(bytes: AsyncIterable<Buffer>, delimiter: Delimiter): AsyncGenerator<CsvRecord[]> {
  const { parser, passed, take } = openParser(delimiter)
  const end = finished(parser.resume())
  end.catch(() => {}) // met again below; a rejection must not stand alone meanwhile
  let withoutEnd = 0
  try {
    for await (const slice of slicesOf(bytes)) {
      const before = passed()
      parser.write(slice)
      if (parser.errored) throw parser.errored
      // The parser's own bound counts what stands in cells: a line of nothing but delimiters would pass it.
      withoutEnd = passed() === before ? withoutEnd + slice.length : 0
      if (withoutEnd > RECORD_BYTES_MAX + SLICE_BYTES) throw tooLong(before + 1)
      yield take()
    }
    parser.end()
    await end
    yield take()
  } catch (error) {
    throw isCsvError(error) ? readFault(error, passed() + 1) : error
  } finally {
    parser.destroy()
  }
}

function openParser(delimiter: Delimiter) {
  let records = 0
  let waiting: CsvRecord[] = []
  const passed = (): number => records + info.empty_lines
  const parser: Parser = parse({
    delimiter,
    bom: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_quotes: true, // a quote inside a cell is a character like any other: 5" disk
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: RECORD_BYTES_MAX,
    on_record(cells: string[]) {
      records++
      // For each record that is not as wide as the first the parser makes an error, even though nobody wants it, and that
      // takes ten times as long as the record itself. So each record is its first.
      info.records = 0
      refuseBeyondBounds(cells, records, passed())
      waiting.push({ row: passed(), cells })
      return null // waits with us already: nothing waits in the parser's own stream
    },
  })
  const info: { records: number; empty_lines: number } = parser.info
  function take(): CsvRecord[] {
    const taken = waiting
    waiting = []
    return taken
  }
  return { parser, passed, take }
}

function refuseBeyondBounds(cells: string[], records: number, row: number): void {
  if (cells.length > COLUMNS_MAX) throw tooManyColumns(row)
  if (records > ROWS_MAX) throw tooManyRows()
  if (cells.some(isTooLong)) throw cellTooLong(row)
}

function isTooLong(cell: string): boolean {
  // No character has more than three bytes for each of its units, so most cells need no counting.
  return cell.length * 3 > CELL_BYTES_MAX && Buffer.byteLength(cell) > CELL_BYTES_MAX
}

async function* slicesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    for (let from = 0; from < chunk.length; from += SLICE_BYTES) yield chunk.subarray(from, from + SLICE_BYTES)
  }
}

function isCsvError(error: unknown): error is CsvError {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_')
}

/** Own messages, because those of the parser quote the content of the file. */
function readFault(error: CsvError, row: number): Refusal {
  if (error.code === 'CSV_MAX_RECORD_SIZE') return tooLong(row)
  if (error.code === 'CSV_QUOTE_NOT_CLOSED')
    return new Refusal('malformed_csv', `A quotation mark in row ${row} is not closed.`)
  return new Refusal('malformed_csv', `Row ${row} cannot be read.`)
}

function tooLong(row: number): Refusal {
  return new Refusal('record_too_long', `Row ${row} is longer than 64 KiB. A quotation mark may not be closed.`)
}

function cellTooLong(row: number): Refusal {
  return new Refusal('record_too_long', `Row ${row} has a cell longer than 4 KiB.`)
}

function tooManyColumns(row: number): Refusal {
  return new Refusal('too_many_columns', `Row ${row} has more than ${COLUMNS_MAX} columns.`)
}

function tooManyRows(): Refusal {
  return new Refusal('too_many_rows', `The file has more than ${ROWS_MAX.toLocaleString('en')} rows.`)
}
