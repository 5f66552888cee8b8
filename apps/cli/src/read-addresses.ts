import { createInterface } from 'node:readline'
import { Refusal } from './refusal.ts'
import type { Run } from './run.ts'

export type Addresses = {
  /** Each once, as it was first written, in the order in which they came. */
  unique: string[]
  repeated: number
}

/** More than this is a list, which is uploaded once and goes on without us. */
const ADDRESSES_MAX = 10_000
/** No verdict is asked for on more than the service takes. */
const LENGTH_MAX = 1_024

/** The addresses of the command line, and those of standard input where `-` says so or nothing is typed and something piped. */
export async function readAddresses({ terminal, signal }: Run, typed: readonly string[]): Promise<Addresses> {
  const { stdin } = terminal
  const isPiped = typed.includes('-') || (typed.length === 0 && !stdin.isTTY)
  const emails = typed.filter((one) => one !== '-')
  if (isPiped) {
    for await (const line of createInterface({ input: stdin, signal })) {
      if (line.trim() !== '') emails.push(line.trim())
      if (emails.length > ADDRESSES_MAX) break
    }
  }
  signal.throwIfAborted()
  refuseUnusable(emails)
  return dropRepeated(emails)
}

function refuseUnusable(emails: readonly string[]): void {
  if (emails.length === 0) {
    throw new Refusal('usage', 'There is no address to validate.', 'probity validate ada@example.com')
  }
  if (emails.length > ADDRESSES_MAX) {
    throw new Refusal('input', 'These are more than 10,000 addresses: make them a list.', 'probity clean FILE -o OUT')
  }
  const long = emails.findIndex((email) => email.length > LENGTH_MAX)
  if (long !== -1)
    throw new Refusal('input', `Number ${long + 1} is longer than any address: 1,024 characters at most.`)
}

/** As the service counts them, so that what is shown as the price is the price. */
async function dropRepeated(emails: string[]): Promise<Addresses> {
  if (emails.length === 1) return { unique: emails, repeated: 0 }
  const { dedupeKey } = await import('@probity/engine/address/dedupe-key')
  const first = new Map<string, string>()
  for (const email of emails) {
    const key = dedupeKey(email)
    if (!first.has(key)) first.set(key, email)
  }
  return { unique: [...first.values()], repeated: emails.length - first.size }
}
