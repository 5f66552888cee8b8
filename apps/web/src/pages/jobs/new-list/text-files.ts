import { findAddresses } from '@probity/contract/constants/text'

type Pasted = {
  emails: string[]
  /** Lines with text that holds no address. */
  skippedLines: number
}

/** The addresses in a text, by the rule for cells of uploaded files; in addition, free text is searched for them. */
export function readPasted(text: string): Pasted {
  const lines = text.split(/\r\n|[\r\n]/).filter((line) => line.trim() !== '')
  const found = lines.map(findAddresses)
  return { emails: found.flat(), skippedLines: found.filter((emails) => emails.length === 0).length }
}

export function makePastedFile(emails: string[], now = new Date()): File {
  const day = now.toISOString().slice(0, 10)
  const cells = emails.map((email) => (/[",;|\t\r\n]/.test(email) ? `"${email.replaceAll('"', '""')}"` : email))
  return new File([['email', ...cells, ''].join('\r\n')], `pasted-addresses-${day}.csv`, { type: 'text/csv' })
}

/** Sandbox cases of test mode, with the number of sample rows for each. */
const MIX: [name: string, rows: number][] = [
  ['valid', 68],
  ['free', 8],
  ['role', 4],
  ['catch-all', 9],
  ['disposable', 5],
  ['mailbox-not-found', 9],
  ['mailbox-full', 3],
  ['domain-not-found', 4],
  ['typo', 2],
  ['syntax-error', 1],
  ['connection-failed', 2],
  ['greylisted', 2],
]
const PLANS = ['monthly', 'yearly', 'trial']

/** A sample file for test mode: 120 rows, two of them duplicates and one without an address. */
export function makeSampleFile(): File {
  const emails = MIX.flatMap(([name, rows]) => Array.from({ length: rows }, (_, n) => emailOf(name, n)))
  const rows = [...emails.toSorted(), emailOf('valid', 0), emailOf('valid', 1), '']
  const lines = rows.map((email, n) => `${n + 1001},${email},${PLANS[n % PLANS.length]}`)
  return new File([['customer,email,plan', ...lines, ''].join('\r\n')], 'sample.csv', { type: 'text/csv' })
}

function emailOf(name: string, n: number): string {
  return `reader${String(n + 1).padStart(2, '0')}+${name}@example.com`
}
