import { randomUUID } from 'node:crypto'
import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { insertKey } from '@probity/database/accounts/keys'
import { listDrift } from '@probity/database/billing/ledger'
import { reconcileLedger } from '@probity/database/billing/reconciliation'
import { driftBy } from '@probity/database/billing/test-drift'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { createTestDatabase, openTestAccount } from '@probity/database/connection/test-database'
import { deferResult, finishValidation, type ValidationRef } from '@probity/database/validations/validations'
import { expect, test } from 'vitest'
import { createCharger, type Payer, type Purchase } from './charge.ts'

const { db } = await createTestDatabase()
const opened: ValidationRef[] = []
const charger = createCharger(db, (refs) => opened.push(...refs))

async function pay(payer: Payer, purchase: Purchase) {
  const [receipt] = await charger.charge({ payer, purchases: [purchase] })
  if (receipt === undefined) throw new Error('a purchase without a receipt')
  return receipt
}

async function openPayer(credits: number, monthlyCap: number | null = null) {
  const { id: accountId } = await openTestAccount(db, credits)
  const { key } = await inTenant(db, accountId, (trx) =>
    insertKey(trx, accountId, { mode: 'live', name: 'payer', scopes: [], monthlyCap }),
  )
  return { accountId, keyId: key.id, retentionDays: 30 }
}

const work = (email: string): Purchase => ({ kind: 'work', row: { id: randomUUID(), email, emailKey: email } })
const RECENT: Purchase = {
  kind: 'recent',
  email: 'recent@example.com',
  id: randomUUID(),
  result: pendingResult('recent@example.com', 'timeout'),
}

/** The first purchase is charged alone; the rest arrive meanwhile and form one group. */
async function payTogether(payer: Awaited<ReturnType<typeof openPayer>>, purchases: Purchase[]) {
  const receipts = await Promise.all(purchases.map((purchase) => pay(payer, purchase)))
  return receipts.map(({ kind }) => kind)
}

test.each([0, 1, 2, 3, 4, 5, 6])(
  'of six purchases of both kinds a balance of %s pays exactly the first ones',
  async (credits) => {
    const payer = await openPayer(credits)
    const kinds = await payTogether(payer, [work('a'), RECENT, work('b'), RECENT, RECENT, work('c')])
    expect(kinds.filter((kind) => kind !== 'unpaid').length).toBe(credits)
    expect(kinds.slice(0, credits)).not.toContain('unpaid')
    expect(await asOwner(db, listDrift)).toEqual([])
  },
)

test('a key with a monthly cap pays up to the cap', async () => {
  const payer = await openPayer(100, 3)
  const kinds = await payTogether(
    payer,
    Array.from({ length: 6 }, () => RECENT),
  )
  expect(kinds.filter((kind) => kind === 'paid_recent').length).toBeLessThanOrEqual(3)
  expect(kinds).toContain('unpaid')
})

test('an uncollected result is free for the first request, even without balance, and charged for the second', async () => {
  const payer = await openPayer(2)
  const first = await pay(payer, work('waiting'))
  if (first.kind !== 'paid_work') throw new Error(first.kind)
  await inTenant(db, payer.accountId, async (trx) => {
    await deferResult(trx, first.ref)
    const result = pendingResult('waiting', 'timeout')
    await finishValidation(trx, first.ref, { conclusive: true, result })
  })

  const kinds = await payTogether(payer, [RECENT, work('waiting'), work('waiting')])
  expect(kinds).toEqual(['paid_recent', 'collected', 'unpaid'])
})

test('an account on hold is not charged, and still gets results that were paid before', async () => {
  const payer = await openPayer(10)
  const first = await pay(payer, work('under-way'))
  if (first.kind !== 'paid_work') throw new Error(first.kind)
  await inTenant(db, payer.accountId, (trx) => deferResult(trx, first.ref))
  await driftBy(db, payer.accountId, 1)
  await reconcileLedger(db)

  const receipts = await Promise.all([work('under-way'), RECENT, work('new')].map((one) => pay(payer, one)))
  expect(receipts).toMatchObject([
    { kind: 'joined' },
    { kind: 'unpaid', posting: { kind: 'on_hold' } },
    { kind: 'unpaid', posting: { kind: 'on_hold' } },
  ])
  expect(await pay(payer, work('alone'))).toMatchObject({ kind: 'unpaid', posting: { kind: 'on_hold' } })
})

test('workers are notified of rows only after the commit', async () => {
  const payer = await openPayer(1)
  const before = opened.length
  const kinds = await payTogether(payer, [work('x'), work('y')])
  expect(kinds).toEqual(['paid_work', 'unpaid'])
  expect(opened.length - before).toBe(1)
})
