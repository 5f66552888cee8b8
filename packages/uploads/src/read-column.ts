import { hash } from 'node:crypto'
import { cut } from './columns.ts'
import { MAILBOX_PROVIDERS } from './data/mailbox-providers.ts'
import { type Layout, readCells } from './read-addresses.ts'
import { keyOfCell } from './read-cell.ts'
import type { Open } from './read-rows.ts'
import { Refusal } from './refusal.ts'

/** The addresses of one column. */
export type ColumnReading = {
  /** Counted from 0. */
  column: number
  /** Rows with an address. */
  emailCount: number
  /** Different addresses among them. */
  uniqueCount: number
  /** Rows whose cell holds more than the address, such as a display name. */
  wrappedCount: number
  /** Rows with text that holds no address. */
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

/** Reads one column. Throws a Refusal where it has too many addresses. */
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
  // Eight bytes of a hash stand for each address, so that a hundred thousand of any length need a few megabytes. A collision
  // occurs once in thousands of millions of files.
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
