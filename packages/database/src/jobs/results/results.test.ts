import { isKept, PRESET_NAMES, positionOf, rowOf } from '@probity/contract/constants/jobs'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { asOwner, inTenant } from '../../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../../connection/test-database.ts'
import { listJobPredictions } from '../../feedback/calibration.ts'
import { tallyResults } from '../present-job.ts'
import { confirmTestJob } from '../test-jobs.ts'
import { openResultsReader } from './read-results.ts'
import {
  findResult,
  findResultsJob,
  pageResults,
  type ResultsFilter,
  type ResultsJob,
  stillHasResults,
} from './results.ts'
import { readOrder } from './sort-results.ts'
import { makeTestRows, orderTestResults, storeTestResults } from './test-results.ts'

const valueAt = (rowNo: number) => ({ row: rowOf(rowNo), position: positionOf(rowNo) })

const { db } = await createTestDatabase()

/** A completed job with results at every second row from 2 on. Its chunks as settled overlap: each has rows from the whole file. */
async function makeJob(results: number, { isOrdered = false } = {}): Promise<ResultsJob> {
  const { id: accountId } = await openTestAccount(db, 0)
  const { id } = await confirmTestJob(db, accountId, { uniqueCount: results, mode: 'test' })
  const rows = makeTestRows(results)
  for (const part of [0, 1, 2])
    await storeTestResults(
      db,
      id,
      rows.filter((_, n) => n % 3 === part),
    )
  await asOwner(db, (trx) =>
    sql`update jobs set mode = 'live', state = 'completed', done_count = unique_count, finished_at = now() where id = ${id}`.execute(
      trx,
    ),
  )
  if (isOrdered) await orderTestResults(db, id)
  return getJob(accountId, id)
}

async function getJob(accountId: string, jobId: string): Promise<ResultsJob> {
  const job = await inTenant(db, accountId, (trx) => findResultsJob(trx, { accountId, mode: 'live' }, jobId))
  if (job === undefined) throw new Error('the job does not exist')
  return job
}

const SIZE = 1_700
const rows = makeTestRows(SIZE)
const rowsOf = (results: { rowNo: number }[]) => results.map(({ rowNo }) => rowNo)

/** Each filter with the same condition on a row, written in another way. */
const FILTERS: [name: string, filter: ResultsFilter, holds: (row: (typeof rows)[number]) => boolean][] = [
  ['all results', { statuses: [] }, () => true],
  ['one status', { statuses: ['invalid'] }, (row) => row.status === 'invalid'],
  ['two statuses', { statuses: ['valid', 'risky'] }, (row) => row.status === 'valid' || row.status === 'risky'],
  ['a sub-status', { statuses: [], subStatuses: ['catch_all'] }, (row) => row.subStatus === 'catch_all'],
  ['a status that no result has', { statuses: ['none'] }, () => false],
  ['a provider', { statuses: [], provider: 'google' }, (row) => row.provider === 'google'],
  ['no provider', { statuses: [], provider: '' }, (row) => row.provider === ''],
  ['a domain', { statuses: [], domain: 'd7.example' }, (row) => row.domain === 'd7.example'],
  [
    'a part of the address in another case',
    { statuses: [], search: 'PERSON-1' },
    (row) => row.email.startsWith('Person-1'),
  ],
  ['a part with characters that patterns use', { statuses: [], search: '%_' }, () => false],
  [
    'a status and a domain',
    { statuses: ['valid'], domain: 'd3.example' },
    (row) => row.status === 'valid' && row.domain === 'd3.example',
  ],
  [
    'some rows',
    { statuses: [], onlyRows: new Set([0, 2]) },
    ({ rowNo }) => rowNo < 1_024 || (rowNo >= 2_048 && rowNo < 3_072),
  ],
  [
    'a status at some rows',
    { statuses: ['invalid'], onlyRows: new Set([1]) },
    (row) => row.status === 'invalid' && row.rowNo >= 1_024 && row.rowNo < 2_048,
  ],
  ...PRESET_NAMES.flatMap((preset) =>
    (['keep', 'remove'] as const).map((part): (typeof FILTERS)[number] => [
      `what ${preset} ${part}s`,
      { statuses: [], plan: { preset, part } },
      (row) => isKept(preset, { ...row, override: row.override }) === (part === 'keep'),
    ]),
  ),
]

const STATUS_ORDER = ['valid', 'risky', 'invalid', 'unknown']
type Row = (typeof rows)[number]

/** Each order with the value that it compares. */
const ORDERS: [sort: string, keyOf: (row: Row) => string | number][] = [
  ['status', ({ status }) => STATUS_ORDER.indexOf(status)],
  ['sub_status', ({ subStatus }) => subStatus],
  ['provider', ({ provider }) => provider],
  ['domain', ({ domain }) => domain],
  ['deliverability', ({ deliverability }) => deliverability ?? 0],
  ['row', ({ rowNo }) => rowNo],
]

function sorted(sort: string, keyOf: (row: Row) => string | number): number[] {
  const sign = sort.startsWith('-') ? -1 : 1
  const compare = (a: Row, b: Row) => {
    const [x, y] = [keyOf(a), keyOf(b)]
    return x === y ? a.rowNo - b.rowNo : sign * (x < y ? -1 : 1)
  }
  return rowsOf(rows.toSorted(compare))
}

describe.each([
  ['as settled', false],
  ['in row order', true],
])('results %s', async (_, isOrdered) => {
  const job = await makeJob(SIZE, { isOrdered })

  test.each(FILTERS)('pages of %s have their rows in order and the total', async (_name, filter, holds) => {
    const expected = rowsOf(rows.filter(holds))
    await inTenant(db, job.accountId, async (trx) => {
      for (const skip of [0, 1, 490, expected.length - 30, expected.length, expected.length + 100]) {
        if (skip < 0) continue
        const page = await pageResults(trx, job, { ...filter, skip, limit: 50 })
        expect([skip, rowsOf(page.results), page.total]).toEqual([
          skip,
          expected.slice(skip, skip + 50),
          expected.length,
        ])
      }
    })
  })

  test.each(ORDERS.flatMap(([sort, keyOf]) => [[sort, keyOf] as const, [`-${sort}`, keyOf] as const]))(
    'pages sorted by %s have equal results in the order of their rows',
    async (sort, keyOf) => {
      const expected = sorted(sort, keyOf)
      await inTenant(db, job.accountId, async (trx) => {
        for (const skip of [0, 490, SIZE - 30, SIZE]) {
          const page = await pageResults(trx, job, { statuses: [], order: readOrder(sort), skip, limit: 50 })
          expect([skip, rowsOf(page.results), page.total]).toEqual([skip, expected.slice(skip, skip + 50), SIZE])
        }
      })
    },
  )

  test('a filter applies to sorted pages', async () => {
    const order = readOrder('-deliverability')
    const filter = { statuses: ['risky'], provider: 'google' }
    const { results, total } = await inTenant(db, job.accountId, (trx) =>
      pageResults(trx, job, { ...filter, order, skip: 0, limit: 5 }),
    )
    const expected = rows
      .filter(({ status, provider }) => status === 'risky' && provider === 'google')
      .toSorted((a, b) => (b.deliverability ?? 0) - (a.deliverability ?? 0) || a.rowNo - b.rowNo)
    expect([rowsOf(results), total]).toEqual([rowsOf(expected).slice(0, 5), expected.length])
  })

  test.each(FILTERS)(
    'a reader of %s gives each result once, whatever the size of its pages',
    async (_name, filter, holds) => {
      const reader = openResultsReader(db, job)
      const found: number[] = []
      for (let turn = 0, limit = 1; ; turn++, limit = [7, 200, 333][turn % 3] ?? 1) {
        const page = await reader.listAfter({ ...filter, afterRow: found.at(-1) ?? 0, limit })
        found.push(...rowsOf(page))
        if (page.length < limit) break
      }
      expect(found).toEqual(rowsOf(rows.filter(holds)))
    },
  )

  test('a reader finds results at rows, in row order, and none where there is none', async () => {
    const reader = openResultsReader(db, job)
    const found = await reader.listAt({ statuses: [], rowNos: [3_000, 5, 4, 2, 99_999, 4] })
    expect(found.map(({ rowNo, email }) => [rowNo, email])).toEqual(
      [2, 4, 3_000].map((row) => [row, rows[row / 2 - 1]?.email]),
    )
    expect(rowsOf(await reader.listAt({ statuses: ['invalid'], rowNos: [2, 4, 6, 8] }))).toEqual(
      rowsOf(rows.slice(0, 4).filter(({ status }) => status === 'invalid')),
    )
    expect(await reader.listAt({ statuses: [], rowNos: [] })).toEqual([])
  })

  test('one result is found by its row, with the text that was stored', async () => {
    const [one, none] = await inTenant(db, job.accountId, async (trx) => [
      await findResult(trx, job, valueAt(1_000)),
      await findResult(trx, job, valueAt(1_001)),
    ])
    expect(JSON.stringify(one?.result)).toBe(rows[499]?.result)
    expect(none).toBeUndefined()
  })

  test('the breakdown counts every result once by kind and provider, and the 20 largest domains', async () => {
    const { kinds, providers, domains } = await inTenant(db, job.accountId, (trx) => tallyResults(trx, job))
    expect(kinds.reduce((sum, { count }) => sum + count, 0)).toBe(SIZE)
    for (const { count, ...kind } of kinds) {
      const same = rows.filter((row) => Object.entries(kind).every(([name, value]) => row[name as 'status'] === value))
      expect([kind, count]).toEqual([kind, same.length])
    }
    expect(providers.map(({ provider, count }) => [provider, count])).toEqual(
      ['google', 'microsoft', ''].map((provider) => [provider, rows.filter((row) => row.provider === provider).length]),
    )
    const expected = [...Map.groupBy(rows, ({ domain }) => domain)]
      .map(([domain, some]) => ({
        domain,
        count: some.length,
        valid: some.filter(({ status }) => status === 'valid').length,
      }))
      .toSorted((a, b) => b.count - a.count || (a.domain < b.domain ? -1 : 1))
    expect(expected.length).toBeGreaterThan(20)
    expect(domains.map(({ domain, count, valid }) => ({ domain, count, valid }))).toEqual(expected.slice(0, 20))
  })

  test('predictions are found by address in any case, for live jobs of the account', async () => {
    const [first, second] = [rows[0], rows[1]]
    const emails = [first?.email ?? '', (second?.email ?? '').toLowerCase(), 'other@example.com']
    const find = (accountId: string) =>
      inTenant(db, accountId, (trx) => listJobPredictions(trx, accountId, { jobId: job.id, emails }))
    const found = await find(job.accountId)
    expect(found.toSorted((a, b) => (a.email < b.email ? -1 : 1))).toEqual(
      [first, second].map((row) => ({
        ...{ email: row?.email, p: row?.deliverability, status: row?.status },
        ...{ subStatus: row?.subStatus, provider: row?.provider },
      })),
    )
    expect(await find((await openTestAccount(db, 0)).id)).toEqual([])
  })

  test('results are visible to their own account only', async () => {
    const { id: other } = await openTestAccount(db, 0)
    const seen = await inTenant(db, other, async (trx) => [
      await pageResults(trx, job, { statuses: [], skip: 0, limit: 10 }),
      await findResult(trx, job, valueAt(2)),
      await stillHasResults(trx, job),
      (await tallyResults(trx, job)).kinds,
    ])
    expect(seen).toEqual([{ results: [], total: 0 }, undefined, false, []])
    const reader = openResultsReader(db, { ...job, accountId: other })
    await expect(reader.listAfter({ statuses: [], afterRow: 0, limit: 10 })).rejects.toThrow('deleted')
  })
})

test('a reader continues at its position when the results are stored in row order meanwhile', async () => {
  const job = await makeJob(SIZE)
  const [lines, sheet] = [openResultsReader(db, job), openResultsReader(db, job)]
  const before = await lines.listAfter({ statuses: [], afterRow: 0, limit: 250 })
  expect(rowsOf(await sheet.listAt({ statuses: [], rowNos: [2, 4] }))).toEqual([2, 4])
  await orderTestResults(db, job.id)
  const after = await lines.listAfter({ statuses: [], afterRow: before.at(-1)?.rowNo ?? 0, limit: SIZE })
  expect([...before, ...after].map(({ rowNo, email }) => [rowNo, email])).toEqual(
    rows.map(({ rowNo, email }) => [rowNo, email]),
  )
  expect(rowsOf(await sheet.listAt({ statuses: [], rowNos: [6, 3_000] }))).toEqual([6, 3_000])
})

test('a page is read again when the results are stored in row order between two of its statements', async () => {
  const job = await makeJob(SIZE)
  const page = await inTenant(db, job.accountId, async (trx) => {
    // Between the list of the chunks and their contents.
    let isOrdered = false
    const executor = trx.getExecutor()
    const original = executor.executeQuery.bind(executor)
    executor.executeQuery = async (query, ...rest) => {
      const result = await original(query, ...rest)
      if (!isOrdered && query.sql.includes('c.tally')) {
        isOrdered = true
        await orderTestResults(db, job.id)
      }
      return result
    }
    return pageResults(trx, job, { statuses: [], skip: 700, limit: 3 })
  })
  expect([rowsOf(page.results), page.total]).toEqual([[1_402, 1_404, 1_406], SIZE])
})

test('a reader shows results that were settled behind its last row', async () => {
  const job = await makeJob(10)
  const reader = openResultsReader(db, job)
  expect(await reader.listAfter({ statuses: [], afterRow: 0, limit: 10 })).toHaveLength(10)
  await storeTestResults(db, job.id, [{ ...(rows[0] as (typeof rows)[number]), rowNo: 500 }])
  expect(rowsOf(await reader.listAfter({ statuses: [], afterRow: 20, limit: 10 }))).toEqual([500])
})

test('a job is found with its file by its own account and mode only', async () => {
  const job = await makeJob(1)
  const { accountId } = job
  expect(job).toMatchObject({ isExpired: false, filename: 'list.csv', file: { columns: ['email'] } })
  const { id: other } = await openTestAccount(db, 0)
  const seen = await Promise.all([
    inTenant(db, accountId, (trx) => findResultsJob(trx, { accountId, mode: 'test' }, job.id)),
    inTenant(db, other, (trx) => findResultsJob(trx, { accountId: other, mode: 'live' }, job.id)),
    inTenant(db, other, (trx) => findResultsJob(trx, { accountId, mode: 'live' }, job.id)),
  ])
  expect(seen).toEqual([undefined, undefined, undefined])
})

test('an expired or deleted job has no results, and a reader of it fails instead of ending', async () => {
  const [expired, deleted] = [await makeJob(1), await makeJob(1)]
  const readers = [expired, deleted].map((job) => openResultsReader(db, job))
  await asOwner(db, async (trx) => {
    await sql`update jobs set expires_on = utc_today() - 1 where id = ${expired.id}`.execute(trx)
    await sql`delete from jobs where id = ${deleted.id}`.execute(trx)
  })
  for (const job of [expired, deleted]) {
    expect(await inTenant(db, job.accountId, (trx) => stillHasResults(trx, job))).toBe(false)
  }
  for (const reader of readers) {
    await expect(reader.listAfter({ statuses: [], afterRow: 0, limit: 10 })).rejects.toThrow('deleted')
  }
  expect((await getJob(expired.accountId, expired.id)).isExpired).toBe(true)
})

test('an expired file is not found', async () => {
  const { accountId, id } = await makeJob(1)
  await asOwner(db, (trx) => sql`update uploads set expires_at = now() where account_id = ${accountId}`.execute(trx))
  expect((await getJob(accountId, id)).file).toBeNull()
})
