import type { MalformedOption, SeveralAddresses } from '@probity/contract/constants/jobs'
import { resultNoOf } from '@probity/contract/constants/jobs'
import type { UploadPreview } from '@probity/contract/schemas/jobs/uploads'
import { pendingResult, type StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { asOwner } from '@probity/database/connection/connect'
import { chunkRow } from '@probity/database/jobs/results/result-chunk'
import { orderTestResults, storeTestResults } from '@probity/database/jobs/results/test-results'
import { readAddresses, readLayout } from '@probity/uploads/read-addresses'
import { sql } from 'kysely'
import { readCellOptions } from '../jobs/uploads/stored-preview.ts'
import type { TestApi, TestClient } from './test-api.ts'

export type TestList = {
  content: string | Buffer
  filename?: string
  by: TestClient
  mode?: 'live' | 'test'
  /** Selects the addresses that have a result; all by default. */
  isDone?: (email: string) => boolean
  /** How the cells are read. */
  options?: { several_addresses?: SeveralAddresses; malformed?: MalformedOption }
  /** Stores the results in row order, as a worker does after the job has ended. */
  isOrdered?: boolean
}

type ListedAddress = { rowNo: number; email: string }

/** Uploads a list and creates a job with stored results. Returns the job id. */
export async function keepList(api: TestApi, list: TestList): Promise<string> {
  const { by, mode = 'live', isDone = () => true, isOrdered = false, options = {} } = list
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(Buffer.from(list.content))]), list.filename ?? 'list.csv')
  const url = '/api/v1/bulk/upload/preview'
  const { body, text } = await by.call({ method: 'POST', url, query: options, payload: form })
  const preview = body as UploadPreview
  if (!preview.upload_id) throw new Error(`the list was not taken: ${text}`)
  const addresses = await listAddresses(api, preview)
  const done = addresses.filter(({ email }) => isDone(email))
  const { jobId } = await asOwner(api.db, async (trx) => {
    const { rows } = await sql<{ jobId: string }>`
      insert into jobs (account_id, mode, upload_id, filename, email_column, state, row_count, blank_count, not_address_count,
        extra_address_count, left_out_count, several_addresses, malformed, email_count, unique_count, done_count,
        credits_per_email, refund_unknown, expires_on, finished_at)
      select u.account_id, ${mode}, u.id, u.filename, u.suggested_column, ${done.length < addresses.length ? 'processing' : 'completed'},
        u.row_count, ${preview.blank_count}::integer, ${preview.not_address_count}::integer,
        ${preview.extra_address_count}::integer, ${preview.left_out_count}::integer, ${preview.several_addresses},
        ${preview.malformed}, u.email_count, u.unique_count, ${done.length}::integer, 1, true, utc_today() + 30,
        ${done.length < addresses.length ? null : new Date()}::timestamptz
      from uploads u where u.id = ${preview.upload_id} returning id as job_id`.execute(trx)
    await sql`update uploads set expires_at = now() + interval '7 days' where id = ${preview.upload_id}`.execute(trx)
    return rows[0] ?? { jobId: '' }
  })
  await keepResults(api, jobId, done)
  if (isOrdered) await orderTestResults(api.db, jobId)
  return jobId
}

async function listAddresses({ services }: TestApi, preview: UploadPreview): Promise<ListedAddress[]> {
  const { storageKey } = await asOwner(services.db, (trx) =>
    trx.selectFrom('uploads').select('storageKey').where('id', '=', preview.upload_id).executeTakeFirstOrThrow(),
  )
  const { encoding, delimiter, header_row: headerRow, columns } = preview
  const column = columns.indexOf(preview.suggested_email_column)
  const layout = readLayout({ encoding, delimiter, headerRow, column, ...readCellOptions(preview) })
  const byKey = new Map<string, ListedAddress>()
  await readAddresses(
    () => services.storage.open(storageKey),
    layout,
    ({ email, row, position, key }) => {
      if (!byKey.has(key)) byKey.set(key, { rowNo: resultNoOf(row, position), email })
    },
  )
  return [...byKey.values()]
}

/** Stores results and counts them, as settled batches do. */
export async function keepResults({ db }: TestApi, jobId: string, addresses: ListedAddress[]): Promise<void> {
  await storeTestResults(
    db,
    jobId,
    addresses.map((address) => chunkRow(address, resultOf(address.email))),
  )
}

/** The result of an address in these tests, by its first letter: i for invalid, r for risky, u for unknown. */
export function resultOf(email: string): StoredResult {
  const unknown = pendingResult(email, 'greylisted')
  if (email.startsWith('u')) return unknown
  const domain = email.slice(email.lastIndexOf('@') + 1)
  const details = { ...unknown.details, syntax_valid: true, dns_valid: true, domain, provider: 'google', has_spf: true }
  const evidence: StoredResult['evidence'] = [
    {
      check: 'mx',
      outcome: 'found',
      detail: 'Two mail hosts were found.',
      source: 'live',
      checked_at: new Date().toISOString(),
      duration_ms: 3,
    },
  ]
  const found = { ...unknown, confidence: 0.97, deliverability: 0.97, details, evidence }
  if (email.startsWith('i')) {
    return { ...found, status: 'invalid', sub_status: 'mailbox_not_found', did_you_mean: `v${email.slice(1)}` }
  }
  if (email.startsWith('r')) return { ...found, status: 'risky', sub_status: 'catch_all' }
  return { ...found, status: 'valid', sub_status: '', safe_to_send: true, is_valid: true }
}
