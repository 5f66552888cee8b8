import { randomUUID } from 'node:crypto'
import { pendingResult, type StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { expect, test } from 'vitest'
import { inTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { tallyResults } from '../jobs/present-job.ts'
import { findResultsJob, pageResults } from '../jobs/results/results.ts'
import { listTestResults } from '../jobs/results/test-results.ts'
import { settleBatch } from '../jobs/settle-batches.ts'
import { claimNext, planTestJob, startTestWorker } from '../jobs/test-jobs.ts'
import { deferResult, finishValidation, openValidations } from '../validations/validations.ts'
import { openTestWebhook, readEvents } from '../webhooks/test-webhooks.ts'
import { addOverrides, findOverrides } from './overrides.ts'

const { db } = await createTestDatabase()

async function openCustomer(lists: { allow?: string[]; block?: string[] }) {
  const { id: accountId } = await openTestAccount(db, 1_000)
  for (const list of ['allow', 'block'] as const) {
    const targets = lists[list] ?? []
    await inTenant(db, accountId, (trx) => addOverrides(trx, accountId, { action: list, targets, createdBy: 'Ann' }))
  }
  return accountId
}

/** Settles the one batch of a job with a verdict for each row, in order. */
async function settleJob(accountId: string, verdicts: { key: string; status: string; safe: boolean }[]) {
  const { id: jobId } = await planTestJob(db, accountId, [{ size: verdicts.length }])
  const batch = await claimNext(db, await startTestWorker(db, 8))
  if (batch?.accountId !== accountId) throw new Error('no batch')
  const final = verdicts.map(({ key, status, safe }, n) => {
    const result = { ...pendingResult(key, 'timeout'), status, sub_status: '', safe_to_send: safe } as StoredResult
    return { rowNo: batch.rowNos[n] ?? 0, email: key, result }
  })
  expect(await settleBatch(db, batch, { final, later: [] })).toBe('settled')
  return jobId
}

const VERDICTS = [
  { key: 'plain@example.com', status: 'valid', safe: true },
  { key: 'blocked@example.com', status: 'valid', safe: true },
  { key: 'vouched@example.org', status: 'unknown', safe: false },
  { key: 'gone@example.org', status: 'invalid', safe: false },
  { key: ' not an address', status: 'invalid', safe: false },
]

test('results are stored with the overrides of the account and with their own verdicts', async () => {
  const accountId = await openCustomer({ block: ['blocked@example.com'], allow: ['example.org', 'not an address'] })
  const jobId = await settleJob(accountId, VERDICTS)
  const rows = await listTestResults(db, jobId)
  expect(rows.map(({ status, override, safeToSend }) => [status, override, safeToSend])).toEqual([
    ['valid', null, true],
    ['valid', 'block', false],
    ['unknown', 'allow', true],
    ['invalid', 'allow', false],
    ['invalid', null, false],
  ])
  expect(rows.map(({ result }) => (JSON.parse(result) as StoredResult).evidence.length)).toEqual([0, 1, 1, 1, 0])
})

test.each([
  ['safest', ['plain@example.com', 'vouched@example.org']],
  ['balanced', ['plain@example.com', 'vouched@example.org']],
  ['all_but_bounces', ['plain@example.com', 'vouched@example.org']],
] as const)('the preset %s applies overrides, and its count agrees', async (preset, kept) => {
  const accountId = await openCustomer({ block: ['blocked@example.com'], allow: ['example.org'] })
  const jobId = await settleJob(accountId, VERDICTS)
  const { page, removed, kinds } = await inTenant(db, accountId, async (trx) => {
    const job = await findResultsJob(trx, { accountId, mode: 'live' }, jobId)
    if (job === undefined) throw new Error('no job')
    const plan = { preset, part: 'keep' } as const
    const found = await pageResults(trx, job, { statuses: [], plan, skip: 0, limit: 10 })
    const others = await pageResults(trx, job, { statuses: [], plan: { preset, part: 'remove' }, skip: 0, limit: 10 })
    return { page: found, removed: others.total, kinds: (await tallyResults(trx, job)).kinds }
  })
  expect(page.results.map(({ email }) => email)).toEqual(kept)
  expect([page.total, removed]).toEqual([kept.length, VERDICTS.length - kept.length])
  expect(kinds.filter(({ override }) => override !== null).reduce((sum, { count }) => sum + count, 0)).toBe(3)
})

test('the event of a resolved validation contains the override of the address', async () => {
  const accountId = await openCustomer({ block: ['example.com'] })
  await openTestWebhook(db, { accountId, mode: 'live' })
  for (const email of ['ann@example.com', 'ann@example.net']) {
    const row = { id: randomUUID(), email, emailKey: `${email} ai=false catchall=false` }
    await inTenant(db, accountId, async (trx) => {
      const opened = await openValidations(trx, { accountId, keyId: null, retentionDays: 30, group: row.id }, [row])
      if (opened.kind !== 'opened' || opened.refs[0] === undefined) throw new Error('not opened')
      await deferResult(trx, opened.refs[0])
      const result = { ...pendingResult(email, 'timeout'), status: 'valid', safe_to_send: true }
      await finishValidation(trx, opened.refs[0], { conclusive: true, result })
    })
  }
  const told = (await readEvents(db, accountId)).map(({ body }) => (body as { data: object }).data)
  expect(told).toMatchObject([
    { email: 'ann@example.com', status: 'valid', safe_to_send: false, override: 'block' },
    { email: 'ann@example.net', status: 'valid', safe_to_send: true, override: null },
  ])
})

test('concurrent additions do not exceed the limit of overrides', async () => {
  const accountId = await openCustomer({})
  const targets = Array.from({ length: 9_000 }, (_, n) => `a${n}@example.com`)
  await inTenant(db, accountId, (trx) => addOverrides(trx, accountId, { action: 'block', targets, createdBy: 'Ann' }))
  const more = (name: string) => Array.from({ length: 900 }, (_, n) => `${name}${n}@example.com`)
  const both = await Promise.all(
    ['b', 'c'].map((name) =>
      inTenant(db, accountId, (trx) =>
        addOverrides(trx, accountId, { action: 'block', targets: more(name), createdBy: 'Ann' }),
      ),
    ),
  )
  expect(both.filter((one) => one === 'too_many')).toHaveLength(1)
  const found = await inTenant(db, accountId, (trx) =>
    findOverrides(trx, accountId, ['b1@example.com', 'c1@example.com']),
  )
  expect(found.size).toBe(1)
})
