import { randomUUID } from 'node:crypto'
import type { SeedJob } from './data/account.ts'
import { DAY_MS, insertRows, isoOf, type Seeding } from './rows.ts'

/** Days for which the file of a job is kept. */
const KEPT_DAYS = 7
const COLUMNS = ['customer_no', 'email']
const FIRST_CUSTOMER_NO = 1_001

type JobFile = Pick<SeedJob, 'filename' | 'duplicates'> & {
  mode: 'live' | 'test'
  addresses: { email: string }[]
  createdAtMs: number
}

/** Stores the file of a job as long as files are kept, and returns the id of its upload. The repeated addresses are the last rows. */
export async function storeFile(
  { trx, accountId, nowMs, storage }: Seeding,
  { filename, mode, addresses, duplicates, createdAtMs }: JobFile,
): Promise<string> {
  const id = randomUUID()
  const expiresAtMs = createdAtMs + KEPT_DAYS * DAY_MS
  if (expiresAtMs < nowMs) return id
  const all = [...addresses, ...addresses.slice(0, duplicates)]
  const lines = all.map(({ email }, n) => `${FIRST_CUSTOMER_NO + n},${email}\n`)
  const { key, size } = await storage.save(bytesOf([`${COLUMNS.join()}\n`, ...lines]))
  const form = { columns: COLUMNS, delimiter: ',', encoding: 'utf-8', header_row: 1, suggested_column: 'email' }
  const counts = { size_bytes: size, row_count: all.length, email_count: all.length, unique_count: addresses.length }
  const times = { created_at: isoOf(createdAtMs), expires_at: isoOf(expiresAtMs) }
  await insertRows(trx, 'uploads', [
    { id, account_id: accountId, mode, filename, storage_key: key, ...form, ...counts, ...times },
  ])
  return id
}

async function* bytesOf(lines: string[]): AsyncGenerator<Buffer> {
  yield Buffer.from(lines.join(''))
}
