import type { StandingResult } from '@probity/contract/standing-result'
import { unsettledResult } from '@probity/contract/standing-result'
import type { UploadPreview } from '@probity/contract/upload'
import { asOwner } from '@probity/database/connect'
import { type Layout, readAddresses } from '@probity/uploads/read-addresses'
import { sql } from 'kysely'
import type { Caller, TestApi } from '../test-api.ts'

export type TestList = {
  content: string | Buffer
  filename?: string
  by: Caller
  mode?: 'live' | 'test'
  /** Which addresses have a result already; all where nothing is said. */
  isDone?: (email: string) => boolean
}

type ListedAddress = { rowNo: number; email: string }

/** Uploads a list and makes a job of it whose results are kept as the worker keeps them. Gives the id of the job. */
export async function keepList(api: TestApi, list: TestList): Promise<string> {
  const { by, mode = 'live', isDone = () => true } = list
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(Buffer.from(list.content))]), list.filename ?? 'list.csv')
  const { body, text } = await by.call({ method: 'POST', url: '/api/v1/bulk/upload/preview', payload: form })
  const preview = body as UploadPreview
  if (!preview.upload_id) throw new Error(`the list was not taken: ${text}`)
  const addresses = await listAddresses(api, preview)
  const done = addresses.filter(({ email }) => isDone(email))
  const { jobId } = await asOwner(api.db, async (trx) => {
    const { rows } = await sql<{ jobId: string }>`
      insert into jobs (account_id, mode, upload_id, filename, email_column, state, row_count, email_count, unique_count,
        done_count, credits_per_email, refund_unknown, expires_on, finished_at)
      select u.account_id, ${mode}, u.id, u.filename, u.suggested_column, ${done.length < addresses.length ? 'processing' : 'completed'},
        u.row_count, u.email_count, u.unique_count, ${done.length}::integer, 1, true, utc_today() + 30,
        ${done.length < addresses.length ? null : new Date()}::timestamptz
      from uploads u where u.id = ${preview.upload_id} returning id as job_id`.execute(trx)
    await sql`update uploads set expires_at = now() + interval '7 days' where id = ${preview.upload_id}`.execute(trx)
    return rows[0] ?? { jobId: '' }
  })
  await keepResults(api, jobId, done)
  return jobId
}

async function listAddresses({ services }: TestApi, preview: UploadPreview): Promise<ListedAddress[]> {
  const { storageKey } = await asOwner(services.db, (trx) =>
    trx.selectFrom('uploads').select('storageKey').where('id', '=', preview.upload_id).executeTakeFirstOrThrow(),
  )
  const { encoding, delimiter, has_header: hasHeader, columns } = preview
  const column = columns.indexOf(preview.suggested_email_column)
  const layout = { encoding, delimiter, hasHeader, column } as Layout
  const byKey = new Map<string, ListedAddress>()
  await readAddresses(
    () => services.storage.open(storageKey),
    layout,
    ({ email, row, key }) => {
      if (!byKey.has(key)) byKey.set(key, { rowNo: row, email })
    },
  )
  return [...byKey.values()]
}

const AT_ONCE = 5_000

/** Keeps results and counts them, as a settled batch does. */
export async function keepResults({ db }: TestApi, jobId: string, addresses: ListedAddress[]): Promise<void> {
  for (let from = 0; from < addresses.length; from += AT_ONCE) {
    const some = addresses.slice(from, from + AT_ONCE)
    const answers = some.map(({ email }) => resultOf(email))
    await asOwner(db, async (trx) => {
      await sql`
        insert into job_results (expires_on, account_id, job_id, row_no, email, status, sub_status, result)
        select j.expires_on, j.account_id, j.id, r.row_no, r.email, r.status, r.sub_status, r.result
        from jobs j, unnest(${some.map((one) => one.rowNo)}::integer[], ${some.map((one) => one.email)}::text[],
          ${answers.map((one) => one.status)}::text[], ${answers.map((one) => one.sub_status)}::text[],
          ${answers.map((one) => JSON.stringify(one))}::json[]) as r (row_no, email, status, sub_status, result)
        where j.id = ${jobId}`.execute(trx)
      await sql`
        insert into job_counts as c (account_id, job_id, status, sub_status, count)
        select j.account_id, j.id, r.status, r.sub_status, count(*)
        from jobs j, unnest(${answers.map((one) => one.status)}::text[], ${answers.map((one) => one.sub_status)}::text[])
          as r (status, sub_status)
        where j.id = ${jobId} group by 1, 2, 3, 4
        on conflict (account_id, job_id, status, sub_status) do update set count = c.count + excluded.count`.execute(
        trx,
      )
    })
  }
}

/** What the world of these tests says of an address, by its first letter: i for invalid, r for risky, u for unknown. */
export function resultOf(email: string): StandingResult {
  const unknown = unsettledResult(email, 'greylisted')
  if (email.startsWith('u')) return unknown
  const domain = email.slice(email.lastIndexOf('@') + 1)
  const details = { ...unknown.details, syntax_valid: true, dns_valid: true, domain, provider: 'google', has_spf: true }
  const evidence: StandingResult['evidence'] = [
    {
      check: 'mx',
      outcome: 'found',
      detail: 'Two mail hosts were found.',
      source: 'live',
      at: Date.now() / 1000,
      ms: 3,
    },
  ]
  const found = { ...unknown, confidence: 0.97, deliverability: 0.97, details, evidence }
  if (email.startsWith('i')) {
    return { ...found, status: 'invalid', sub_status: 'mailbox_not_found', did_you_mean: `v${email.slice(1)}` }
  }
  if (email.startsWith('r')) return { ...found, status: 'risky', sub_status: 'catch_all' }
  return { ...found, status: 'valid', sub_status: '', safe_to_send: true, is_valid: true }
}
