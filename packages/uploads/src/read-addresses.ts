import { hash } from 'node:crypto'
import { containsAddressLike } from '@probity/contract/constants/text'
import { dedupeKey, keyOfAddress } from '@probity/engine/address/dedupe-key'
import { findAddress } from '@probity/engine/address/find-address'
import type { Address } from '@probity/engine/address/parse'
import { cut, DELIMITERS, ENCODINGS, isBlank, type Open, readRows, type Writing } from './csv.ts'
import { MAILBOX_PROVIDERS } from './data/mailbox-providers.ts'
import { Refusal } from './refusal.ts'

/** Format of a file and the index of the column with the addresses, counted from 0. */
export type Layout = Writing & { column: number }

type Noted = { encoding: string; delimiter: string; hasHeader: boolean; column: number }

/** The layout from its database columns, whose types are plain strings. */
export function readLayout(noted: Noted): Layout {
  const encoding = ENCODINGS.find((known) => known === noted.encoding)
  const delimiter = DELIMITERS.find((known) => known === noted.delimiter)
  if (encoding === undefined || delimiter === undefined) throw new Error('unexpected file format')
  return { encoding, delimiter, hasHeader: noted.hasHeader, column: noted.column }
}

/** The row number is the one that a spreadsheet shows. Reading continues when the promise resolves. */
type Take = (found: { email: string; row: number; key: string }) => void | Promise<void>

/**
 * Passes on the addresses of one column, without display names and white space around them. Rows without an address are skipped.
 * Previews, plans and exports all read cells by `readCell`, so that a job has as many addresses as its preview counted.
 */
export async function readAddresses(open: Open, layout: Layout, take: Take): Promise<void> {
  await readCells(open, layout, ({ cell, row }) =>
    cell.kind === 'text' ? undefined : take({ email: cell.email, row, key: keyOfCell(cell) }),
  )
}

type CellInRow = { cell: Cell; text: string; row: number }
type TakeCell = (found: CellInRow) => void | Promise<void>

/** Passes on the cells of one column that are not blank. */
async function readCells(open: Open, layout: Layout, take: TakeCell): Promise<void> {
  for await (const page of readRows(open, layout)) {
    for (const { row, cells, isHeader } of page) {
      const text = cells[layout.column] ?? ''
      if (isHeader || isBlank(text)) continue
      const taken = take({ cell: readCell(text), text, row })
      if (taken) await taken
    }
  }
}

/**
 * The content of a cell that is not blank. `bare` is an address, `wrapped` is one in a display name, brackets or `mailto:`. `broken`
 * contains
 * text that is meant as an address and has a syntax error; its email is the whole cell. `text` contains no address.
 */
type Cell = EmailCell | { kind: 'text' }
type EmailCell = { kind: 'bare' | 'wrapped'; email: string; address: Address } | { kind: 'broken'; email: string }

const TEXT: Cell = { kind: 'text' }

export function readCell(cell: string): Cell {
  if (!cell.includes('@') && !cell.includes('%40')) return TEXT
  const whole = cell.trim()
  const found = findAddress(whole)
  if (found) return { kind: found.email === whole ? 'bare' : 'wrapped', ...found }
  return containsAddressLike(whole) ? { kind: 'broken', email: whole } : TEXT
}

/** Cells with the same key contain the same address. Parsing takes most of the reading time, so it is not repeated. */
export function keyOfCell(cell: EmailCell): string {
  return cell.kind === 'broken' ? dedupeKey(cell.email) : keyOfAddress(cell.address)
}

/** The addresses of one column. */
export type ColumnReading = {
  /** Counted from 0. */
  column: number
  /** Rows with an address. */
  emailCount: number
  /** Different addresses among them. */
  uniqueCount: number
  /** Rows whose cell contains more than the address, such as a display name. */
  wrappedCount: number
  /** Rows with text that contains no address. */
  textCount: number
  /** The first of these. */
  textExamples: { row: number; text: string }[]
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
  const found = { emailCount: 0, wrappedCount: 0, textCount: 0 }
  const textExamples: ColumnReading['textExamples'] = []
  await readCells(open, layout, ({ cell, text, row }) => {
    if (cell.kind === 'text') {
      found.textCount++
      if (textExamples.length < EXAMPLES_MAX) textExamples.push({ row, text: cut(text.trim(), EXAMPLE_UNITS_MAX) })
      return
    }
    found.emailCount++
    if (found.emailCount > emailsMax) throw tooManyEmails(emailsMax, row)
    if (cell.kind === 'wrapped') found.wrappedCount++
    addresses.add(keyOfCell(cell))
  })
  return { column: layout.column, ...found, textExamples, ...addresses.counts() }
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
