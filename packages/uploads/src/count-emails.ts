import { hash } from 'node:crypto'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { type Layout, readAddresses } from './read-addresses.ts'
import type { Open } from './read-rows.ts'
import { Refusal } from './refusal.ts'

export type EmailCount = { emailCount: number; uniqueCount: number }

type Options = {
  emailsMax: number
  /** Sees the key of each email once, when it first occurs. */
  onNew?: (key: string) => void
}

/** How many emails a column has, and how many different ones. Throws a Refusal where there are too many. */
export async function countEmails(open: Open, layout: Layout, { emailsMax, onNew }: Options): Promise<EmailCount> {
  // Eight bytes of a hash stand for each address, so that a hundred thousand of any length need a few megabytes. That two
  // addresses meet in them happens once in thousands of millions of such files.
  const seen = new Set<bigint>()
  let emailCount = 0
  await readAddresses(open, layout, (email, row) => {
    emailCount++
    if (emailCount > emailsMax) throw tooManyEmails(emailsMax, row)
    const key = dedupeKey(email)
    const short = hash('sha256', key, 'buffer').readBigUInt64LE()
    if (seen.has(short)) return
    seen.add(short)
    onNew?.(key)
  })
  return { emailCount, uniqueCount: seen.size }
}

export function tooManyEmails(emailsMax: number, row?: number): Refusal {
  const where = row === undefined ? '' : ` Row ${row} is beyond that.`
  return new Refusal('too_many_emails', `The file has more than ${emailsMax.toLocaleString('en')} emails.${where}`)
}
