import { hash } from 'node:crypto'
import { suggest } from '@probity/engine/address/suggest'
import { cut, DELIMITERS, ENCODINGS, isBlank, type Open, readRows, type Writing } from './csv.ts'
import { MAILBOX_PROVIDERS } from './data/mailbox-providers.ts'
import { type CellOptions, type CellValue, type ChosenValue, chooseValues, keyOfValue, readCell } from './read-cell.ts'
import { Refusal } from './refusal.ts'

/** Format of a file, the index of the column with the addresses, counted from 0, and how its cells are read. */
export type Layout = Writing & CellOptions & { column: number }

type Noted = { encoding: string; delimiter: string; headerRow: number | null; column: number } & CellOptions

/** The layout from its database columns, whose types are plain strings. */
export function readLayout({ encoding, delimiter, ...noted }: Noted): Layout {
  return { ...readFormat({ encoding, delimiter }), ...noted }
}

export function readFormat(noted: { encoding: string; delimiter: string }): Pick<Writing, 'encoding' | 'delimiter'> {
  const encoding = ENCODINGS.find((known) => known === noted.encoding)
  const delimiter = DELIMITERS.find((known) => known === noted.delimiter)
  if (encoding === undefined || delimiter === undefined) throw new Error('unexpected file format')
  return { encoding, delimiter }
}

/** The row number is the one that a spreadsheet shows; the position of a value in its cell counts from 0. */
type Take = (found: { email: string; row: number; position: number; key: string }) => void

/**
 * Passes on the values of one column that are validated, without display names and white space around them. Previews, plans and exports
 * all read cells by `readCell` and `chooseValues`, so that a job has as many addresses as its preview counted.
 */
export async function readAddresses(open: Open, layout: Layout, take: Take): Promise<void> {
  await readCells(open, layout, ({ values, row }) => {
    for (const one of chooseValues(values, layout).chosen)
      take({ email: one.email, row, position: one.position, key: keyOfValue(one.value) })
  })
}

type CellInRow = { values: CellValue[]; text: string; row: number }

/** Passes on the cells of one column that are not blank. */
async function readCells(open: Open, layout: Layout, take: (found: CellInRow) => void): Promise<void> {
  for await (const page of readRows(open, layout)) {
    for (const { row, cells, isHeader } of page) {
      const text = cells[layout.column] ?? ''
      if (!isHeader && !isBlank(text)) take({ values: readCell(text), text, row })
    }
  }
}

type TextExample = { row: number; text: string }

/** The addresses of one column. */
export type ColumnReading = CellOptions & {
  /** Counted from 0. */
  column: number
  /** Values that are validated, repetitions included. */
  emailCount: number
  /** Different addresses among them. */
  uniqueCount: number
  /** Rows whose cell contains more than the address, such as a display name. */
  wrappedCount: number
  /** Rows with text that contains no address. */
  textCount: number
  /** The first of these. */
  textExamples: TextExample[]
  /** Values beyond the first one of their cell. */
  extraCount: number
  /** Values that are not validated, as the options say. */
  leftOutCount: number
  /** Values that are malformed. */
  malformedCount: number
  /** Addresses that were found by a repair. */
  repairedCount: number
  /** The first cells with one, and the address. */
  repairedExamples: (TextExample & { email: string })[]
  /** Addresses whose domain looks mistyped. */
  suggestionCount: number
  providers: ProviderCount[]
}

/** The empty name is used for domains that are not in the table. */
type ProviderCount = { provider: string; count: number }

const EXAMPLES_MAX = 10
const EXAMPLE_UNITS_MAX = 200

const PROVIDER_OF = new Map(
  MAILBOX_PROVIDERS.flatMap(({ provider, domains }) => domains.map((domain) => [domain, provider])),
)

/** Reads one column. Throws a Refusal if it has too many addresses. */
export async function readColumn(open: Open, layout: Layout, emailsMax: number): Promise<ColumnReading> {
  const addresses = openAddressCounter()
  const counter = openValueCounter()
  const { column, several, malformed } = layout
  let emailCount = 0
  let leftOutCount = 0
  await readCells(open, layout, (cell) => {
    counter.add(cell)
    const { chosen, leftOut } = chooseValues(cell.values, layout)
    leftOutCount += leftOut.length
    emailCount += chosen.length
    if (emailCount > emailsMax) throw tooManyEmails(emailsMax, cell.row)
    for (const { value } of chosen) addresses.add(keyOfValue(value))
  })
  return { column, several, malformed, emailCount, leftOutCount, ...counter.counts(), ...addresses.counts() }
}

/** Counts what the cells of a column contain, whatever is validated of it. */
function openValueCounter() {
  const found = {
    textCount: 0,
    wrappedCount: 0,
    extraCount: 0,
    malformedCount: 0,
    repairedCount: 0,
    suggestionCount: 0,
  }
  const textExamples: ColumnReading['textExamples'] = []
  const repairedExamples: ColumnReading['repairedExamples'] = []
  const hasSuggestion = openSuggestions()
  const countValue = (value: ChosenValue['value'], { row, text }: CellInRow) => {
    if (value.kind === 'malformed') found.malformedCount++
    else if (hasSuggestion(value) !== null) found.suggestionCount++
    if (value.kind === 'malformed' || !value.isRepaired) return
    found.repairedCount++
    const { email } = value
    if (repairedExamples.length < EXAMPLES_MAX)
      repairedExamples.push({ row, text: cut(text.trim(), EXAMPLE_UNITS_MAX), email })
  }
  return {
    add(cell: CellInRow): void {
      const { row, text } = cell
      const values = cell.values.flatMap((value) => (value.kind === 'erased' ? [] : [value]))
      const [first] = values
      if (first === undefined) {
        found.textCount++
        if (textExamples.length < EXAMPLES_MAX) textExamples.push({ row, text: cut(text.trim(), EXAMPLE_UNITS_MAX) })
        return
      }
      found.extraCount += values.length - 1
      const isWrapped = first.kind === 'address' && !first.isRepaired && first.email !== text.trim()
      if (isWrapped) found.wrappedCount++
      for (const value of values) countValue(value, cell)
    },
    counts: () => ({ ...found, textExamples, repairedExamples }),
  }
}

const DOMAINS_REMEMBERED_MAX = 100_000

/** The suggestion for an address with another domain, if its own looks mistyped. A domain is compared with the known ones once. */
export function openSuggestions(): (value: Extract<CellValue, { kind: 'address' }>) => string | null {
  const known = new Map<string, string | null>()
  return ({ address }) => {
    if (address.domain.kind === 'literal') return null
    const { ascii } = address.domain
    let meant = known.get(ascii)
    if (meant === undefined) {
      meant = suggest(address)?.slice(address.local.length + 1) ?? null
      if (known.size < DOMAINS_REMEMBERED_MAX) known.set(ascii, meant)
    }
    return meant === null ? null : `${address.local}@${meant}`
  }
}

function openAddressCounter() {
  // Only eight bytes of a hash are stored per address, so that a hundred thousand need a few megabytes. A collision occurs once in
  // billions of files.
  const seen = new Set<bigint>()
  const byProvider = new Map<string, number>()
  return {
    add(key: string): void {
      const short = hash('sha256', key, 'buffer').readBigUInt64LE()
      if (seen.has(short)) return
      seen.add(short)
      const provider = PROVIDER_OF.get(key.slice(key.lastIndexOf('@') + 1)) ?? ''
      byProvider.set(provider, (byProvider.get(provider) ?? 0) + 1)
    },
    counts() {
      const providers = [...byProvider].map(([provider, count]) => ({ provider, count }))
      return { uniqueCount: seen.size, providers: providers.toSorted((a, b) => b.count - a.count) }
    },
  }
}

export function tooManyEmails(emailsMax: number, row?: number): Refusal {
  const where = row === undefined ? '' : ` Row ${row} is beyond that.`
  return new Refusal('too_many_emails', `The file has more than ${emailsMax.toLocaleString('en')} addresses.${where}`)
}
