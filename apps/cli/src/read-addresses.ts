import { createInterface } from 'node:readline'
import { CliError } from './cli-error.ts'
import type { Run } from './run.ts'

export type Addresses = {
  /** Without duplicates, as first written, in the order of the input. */
  unique: string[]
  duplicateCount: number
}

/** Larger lists are uploaded as a job, which continues without this process. */
const ADDRESSES_MAX = 10_000
/** The limit of the service. */
const LENGTH_MAX = 1_024

/** The addresses of the command line, and those of standard input for `-` or if there are no arguments and input is piped. */
export async function readAddresses({ terminal, signal }: Run, args: readonly string[]): Promise<Addresses> {
  const { stdin } = terminal
  const isPiped = args.includes('-') || (args.length === 0 && !stdin.isTTY)
  const emails = args.filter((one) => one !== '-')
  if (isPiped) {
    for await (const line of createInterface({ input: stdin, signal })) {
      if (line.trim() !== '') emails.push(line.trim())
      if (emails.length > ADDRESSES_MAX) break
    }
  }
  signal.throwIfAborted()
  checkAddresses(emails)
  return dropDuplicates(emails)
}

function checkAddresses(emails: readonly string[]): void {
  if (emails.length === 0) throw new CliError('usage', 'No address to validate.', 'probity validate ada@example.com')
  if (emails.length > ADDRESSES_MAX) {
    throw new CliError(
      'input',
      'More than 10,000 addresses. Save them as CSV and create a job.',
      'probity clean FILE -o OUT',
    )
  }
  const long = emails.findIndex((email) => email.length > LENGTH_MAX)
  if (long !== -1) throw new CliError('input', `Address ${long + 1} has more than 1,024 characters.`)
}

/** With the rules of the service, so that the displayed price is correct. */
async function dropDuplicates(emails: string[]): Promise<Addresses> {
  if (emails.length === 1) return { unique: emails, duplicateCount: 0 }
  const { dedupeKey } = await import('@probity/engine/address/dedupe-key')
  const first = new Map<string, string>()
  for (const email of emails) {
    const key = dedupeKey(email)
    if (!first.has(key)) first.set(key, email)
  }
  return { unique: [...first.values()], duplicateCount: emails.length - first.size }
}
