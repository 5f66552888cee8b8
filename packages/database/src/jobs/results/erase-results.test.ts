import { randomUUID } from 'node:crypto'
import { positionOf, rowOf } from '@probity/contract/constants/jobs'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { listLedgerMismatches } from '../../billing/reconciliation.ts'
import { asOwner, inTenant } from '../../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../../connection/test-database.ts'
import { tallyResults } from '../present-job.ts'
import { confirmTestJob } from '../test-jobs.ts'
import { insertChunks } from './chunk-store.ts'
import { eraseResults } from './erase-results.ts'
import { claimOrdering, orderResults } from './order-results.ts'
import { openResultsReader } from './read-results.ts'
import { type ChunkRow, chunkRow, decodeChunk, encodeChunk } from './result-chunk.ts'
import { findResult, pageResults } from './results.ts'
import { listTestResults, makeTestRows, orderTestResults, storeTestResults } from './test-results.ts'

const { db } = await createTestDatabase()

/** As spelled in the file; the domain occurs only once. */
const EMAIL = 'Ada.Erased@only.example'
const ROW_NO = 11
const address = addressOf(EMAIL, (email) => email.toLowerCase())

function addressOf(email: string, keyOf: (email: string) => string) {
  const key = keyOf(email)
  const isIn = (text: string) => text.toLowerCase().includes(key)
  const isInJson = (value: unknown) => isIn(JSON.stringify(value))
  return { key, probe: key.split('@')[0] ?? '', is: (text: string) => keyOf(text) === key, isIn, isInJson }
}

function rowsWithAddress(): ChunkRow[] {
  const rows = makeTestRows(10)
  const result = JSON.parse(rows[2]?.result ?? '')
  const evidence = [{ check: 'recipient', outcome: 'rejected', detail: `550 ${EMAIL}`, source: 'live', at: 0, ms: 1 }]
  const details = { ...result.details, domain: 'only.example' }
  return [...rows, chunkRow({ rowNo: ROW_NO, email: EMAIL }, { ...result, email: EMAIL, details, evidence })]
}

type Options = { accountId?: string; isOrdered?: boolean; hasEnded?: boolean }

async function makeJob({ accountId, isOrdered = false, hasEnded = true }: Options) {
  const owner = accountId ?? (await openTestAccount(db, 0)).id
  const rows = rowsWithAddress()
  const job = await confirmTestJob(db, owner, { uniqueCount: rows.length + (hasEnded ? 0 : 1), mode: 'test' })
  await storeTestResults(db, job.id, rows.slice(0, 6))
  await storeTestResults(db, job.id, rows.slice(6))
  const [state, finishedAt] = hasEnded ? ['completed', new Date()] : ['processing', null]
  await asOwner(db, (trx) =>
    sql`update jobs set state = ${state}, done_count = ${rows.length}, finished_at = ${finishedAt}::timestamptz
        where id = ${job.id}`.execute(trx),
  )
  if (isOrdered) await orderTestResults(db, job.id)
  return job
}

/** Everything that the database has of the results of an account, decoded. */
function readAll(accountId: string): Promise<string> {
  return asOwner(db, async (trx) => {
    const chunks = await trx.selectFrom('resultChunks').selectAll().where('accountId', '=', accountId).execute()
    const others = await sql<{ text: string }>`
      select b::text as text from job_batches b where account_id = ${accountId}
      union all select b::text from job_breakdowns b where account_id = ${accountId}`.execute(trx)
    return [
      ...chunks.map((chunk) => JSON.stringify([chunk.tally, decodeChunk(chunk)])),
      ...others.rows.map(({ text }) => text),
    ]
      .join('\n')
      .toLowerCase()
  })
}

describe.each([
  ['as settled', false],
  ['in row order', true],
])('the erasure of an address from results %s', (_, isOrdered) => {
  test('leaves it nowhere in chunks, batches and breakdowns', async () => {
    const { id, accountId, expiresOn } = await makeJob({ isOrdered })
    await asOwner(db, (trx) =>
      sql`insert into job_batches (expires_on, account_id, job_id, no, row_nos, emails)
          values (${expiresOn}, ${accountId}, ${id}, 7, '{11}', array[${EMAIL}])`.execute(trx),
    )
    const before = await readAll(accountId)
    for (const part of ['ada.erased', 'only.example']) expect(before).toContain(part)
    expect(await eraseResults(db, accountId, address)).toEqual({ jobs: [id], unfinished: [], results: 1, batches: 1 })
    const after = await readAll(accountId)
    for (const part of ['ada.erased', 'only.example']) expect(after).not.toContain(part)
    expect(await eraseResults(db, accountId, address)).toEqual({ jobs: [], unfinished: [], results: 0, batches: 0 })
  })

  test('keeps the row and all counts', async () => {
    const job = await makeJob({ isOrdered })
    const count = () =>
      inTenant(db, job.accountId, async (trx) => {
        const { kinds, providers } = await tallyResults(trx, job)
        const pages = ['valid', 'invalid', 'risky', 'unknown'].map((status) =>
          pageResults(trx, job, { statuses: [status], skip: 0, limit: 100 }),
        )
        const totals: number[] = []
        for (const page of pages) totals.push((await page).total)
        const all = await pageResults(trx, job, { statuses: [], skip: 0, limit: 100 })
        const rows = all.results.map(({ rowNo, status, subStatus }) => [rowNo, status, subStatus])
        return { kinds, providers, totals, rows, total: all.total }
      })
    const before = await count()
    await eraseResults(db, job.accountId, address)
    expect(await count()).toEqual(before)
    expect(before.rows.map(([row]) => row)).toContain(ROW_NO)
    expect(await asOwner(db, (trx) => listLedgerMismatches(trx, { accountId: job.accountId }))).toEqual([])
    const exported = await openResultsReader(db, job).listAfter({ statuses: [], afterRow: 0, limit: 100 })
    expect(exported.map(({ rowNo }) => rowNo)).toEqual(before.rows.map(([row]) => row))
    // The other results are as they were.
    expect(await listTestResults(db, job.id)).toEqual(
      rowsWithAddress()
        .toSorted((a, b) => a.rowNo - b.rowNo)
        .map((row) => (row.rowNo === ROW_NO ? expect.objectContaining({ email: '', domain: '' }) : row)),
    )
  })

  test('keeps the verdict and nothing else of the result', async () => {
    const job = await makeJob({ isOrdered })
    const read = () =>
      inTenant(db, job.accountId, (trx) => findResult(trx, job, { row: rowOf(ROW_NO), position: positionOf(ROW_NO) }))
    const before = await read()
    await eraseResults(db, job.accountId, address)
    const after = await read()
    const { status, sub_status, safe_to_send, deliverability, confidence } = before?.result ?? {}
    expect(after).toMatchObject({ email: '', status: before?.status, subStatus: before?.subStatus })
    expect(after?.result).toMatchObject({ status, sub_status, safe_to_send, deliverability, confidence })
    expect(after?.result).toMatchObject({ email: '', did_you_mean: null, evidence: [], details: { domain: '' } })
    expect(after?.result.details.provider).toBe(before?.result.details.provider)
  })
})

test('an erasure covers all ended jobs of the account and names those that have not ended', async () => {
  const first = await makeJob({ isOrdered: true })
  const { accountId } = first
  const second = await makeJob({ accountId })
  const running = await makeJob({ accountId, hasEnded: false })
  const other = await makeJob({})
  const { jobs, unfinished } = await eraseResults(db, accountId, address)
  expect([jobs.toSorted(), unfinished]).toEqual([[first.id, second.id].toSorted(), [running.id]])
  const emails = async (id: string) => (await listTestResults(db, id)).map(({ email }) => email)
  expect(await emails(running.id)).toContain(EMAIL)
  expect(await emails(other.id)).toContain(EMAIL)
})

test('an account cannot erase the results of another', async () => {
  const job = await makeJob({ isOrdered: true })
  const { id: other } = await openTestAccount(db, 0)
  const { rows } = await inTenant(db, other, (trx) =>
    sql<{ generation: number | null }>`select begin_erasure(${job.id}) as generation`.execute(trx),
  )
  expect(rows).toEqual([{ generation: null }])
  const erase = inTenant(db, other, (trx) =>
    sql`select erase_results(${job.id}, 1::smallint, '{0}', array['x'::bytea], array['x'::bytea], null)`.execute(trx),
  )
  await expect(erase).rejects.toThrow('no rows')
})

test('a worker that read the address before its erasure cannot store it again', async () => {
  await asOwner(db, (trx) => sql`delete from jobs`.execute(trx))
  const job = await makeJob({})
  const claimed = await claimOrdering(db, randomUUID())
  if (claimed?.id !== job.id) throw new Error('another job was claimed')
  const part = await encodeChunk(rowsWithAddress())
  await asOwner(db, (trx) => insertChunks(trx, claimed, [{ ...part, generation: claimed.epoch, no: 0 }]))
  await eraseResults(db, job.accountId, address)
  expect(await orderResults(db, claimed)).toBe('lost')
  expect(await readAll(job.accountId)).not.toContain('ada.erased')
  const next = await claimOrdering(db, randomUUID())
  expect(next && (await orderResults(db, next))).toBe('ordered')
  expect(await readAll(job.accountId)).not.toContain('ada.erased')
})

test('an address is compared by its key, however it is spelled', async () => {
  const { id: accountId } = await openTestAccount(db, 0)
  const spellings = ['bö@exämple.com', '"b.c"@example.com', 'ada@example.com.', 'ADA@EXAMPLE.COM', 'ada2@example.com']
  const job = await confirmTestJob(db, accountId, { uniqueCount: spellings.length, mode: 'test' })
  const [sample] = makeTestRows(1)
  const result = JSON.parse(sample?.result ?? '')
  await storeTestResults(
    db,
    job.id,
    spellings.map((email, n) => chunkRow({ rowNo: n + 2, email }, { ...result, email })),
  )
  await asOwner(db, (trx) =>
    sql`update jobs set state = 'completed', done_count = unique_count, finished_at = now() where id = ${job.id}`.execute(
      trx,
    ),
  )
  const asked: string[] = []
  const keyOf = (email: string) => {
    asked.push(email)
    return email.toLowerCase().replace(/\.$/, '')
  }
  await eraseResults(db, accountId, addressOf('ada@example.com', keyOf))
  expect((await listTestResults(db, job.id)).map(({ email }) => email)).toEqual([
    ...spellings.slice(0, 2),
    '',
    '',
    'ada2@example.com',
  ])
  expect(asked).not.toContain('ada2@example.com') // parsed only if it may be the same
})
