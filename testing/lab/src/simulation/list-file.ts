import { writeFile } from 'node:fs/promises'
import type { MailPopulation } from './population.ts'

const COLUMNS = ['email', 'exists', 'behaviour', 'status', 'sub_status', 'truthful', 'knowable']

/** Writes every address with its expected verdict as CSV (RFC 4180). Several correct verdicts are separated by bars. */
export async function writeList(simulation: MailPopulation, file: string): Promise<void> {
  const rows = simulation.addresses.map(({ email, exists, behaviour }) => {
    const { verdicts, truthful, knowable } = simulation.expected(email)
    const statuses = new Set(verdicts.map(({ status }) => status))
    const subStatuses = verdicts.map(({ subStatus }) => subStatus)
    return [email, exists, behaviour, [...statuses].join('|'), subStatuses.join('|'), truthful, knowable]
  })
  await writeFile(file, [COLUMNS, ...rows].map((row) => `${row.map(quote).join(',')}\r\n`).join(''))
}

function quote(cell: string | boolean): string {
  const text = String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
