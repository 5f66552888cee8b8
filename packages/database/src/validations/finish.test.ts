import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { getAccount } from '../accounts/accounts.ts'
import { insertKey } from '../accounts/keys.ts'
import { listDrift } from '../billing/ledger.ts'
import { asOwner, inTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { chargeValidations } from './charge.ts'
import { finishAtOnce } from './queue.ts'
import { collectResult, deferResult, type ValidationRef } from './validations.ts'

const { db } = await createTestDatabase()

/** Open validations of one account, each charged to its own key or to none. */
async function openGroup(size: number, keys: 'none' | 'each' = 'none') {
  const { id: accountId } = await openTestAccount(db, size)
  const refs: ValidationRef[] = []
  for (let n = 0; n < size; n += 1) {
    const keyId = keys === 'none' ? null : await openKey(accountId)
    const row = { id: randomUUID(), email: `${n}@example.com`, emailKey: `${n}@example.com` }
    const group = { subject: randomUUID(), rows: [row], recent: 0, names: [] }
    const charged = await chargeValidations(db, { accountId, keyId, retentionDays: 30 }, group)
    if (charged.kind !== 'charged') throw new Error(charged.kind)
    refs.push({ expiresOn: charged.expiresOn, accountId, id: row.id })
  }
  return { accountId, refs }
}

async function openKey(accountId: string): Promise<string> {
  const made = await inTenant(db, accountId, (trx) =>
    insertKey(trx, accountId, { mode: 'live', name: 'key', scopes: [] }),
  )
  return made.key.id
}

type Outcome = { conclusive?: boolean; result?: object }

const finishOf = (ref: ValidationRef, outcome: Outcome = {}) => ({
  ref,
  conclusive: true,
  result: { status: outcome.conclusive === false ? 'unknown' : 'valid' },
  ...outcome,
})

async function read(accountId: string) {
  const { account } = await inTenant(db, accountId, (trx) => getAccount(trx, accountId))
  const rows = await inTenant(db, accountId, (trx) =>
    trx.selectFrom('validations').select(['id', 'state', 'conclusive', 'result']).execute(),
  )
  return { spent: account.spent, rows: new Map(rows.map(({ id, ...row }) => [id, row])) }
}

test('a group ends with unchanged results, and inconclusive ones are refunded', async () => {
  const { accountId, refs } = await openGroup(4, 'each')
  const [valid, refunded, kept, other] = refs as [ValidationRef, ValidationRef, ValidationRef, ValidationRef]
  const result = { status: 'valid', said: `550 5.1.1 "it's" \\ {full}\u0000` }
  const outcomes = await finishAtOnce(db, accountId, [
    finishOf(valid, { result }),
    finishOf(refunded, { conclusive: false }),
    finishOf(kept, { result: { status: 'unknown', sub_status: 'not_probed' } }),
    finishOf(other, { conclusive: false }),
  ])
  expect(refs.map(({ id }) => outcomes.get(id)?.refunded)).toEqual([false, true, false, true])
  const { spent, rows } = await read(accountId)
  expect(spent).toBe(2)
  expect(rows.get(valid.id)).toEqual({ state: 'final', conclusive: true, result })
  expect(rows.get(refunded.id)).toMatchObject({ state: 'final', conclusive: false })
  expect(await asOwner(db, listDrift)).toEqual([])
})

test('validations that ended before are not changed and refunded once', async () => {
  const { accountId, refs } = await openGroup(2)
  const unknown = refs.map((ref) => finishOf(ref, { conclusive: false }))
  await finishAtOnce(db, accountId, unknown)
  expect(await finishAtOnce(db, accountId, [...unknown, ...refs.map((ref) => finishOf(ref))])).toEqual(new Map())
  const { spent, rows } = await read(accountId)
  expect(spent).toBe(0)
  expect([...rows.values()].map(({ conclusive }) => conclusive)).toEqual([false, false])
})

test('a deferred validation ends with the others, and its result can be collected', async () => {
  const { accountId, refs } = await openGroup(2)
  const [left, other] = refs as [ValidationRef, ValidationRef]
  await inTenant(db, accountId, (trx) => deferResult(trx, left))
  const outcomes = await finishAtOnce(db, accountId, [finishOf(left), finishOf(other)])
  expect(outcomes.get(left.id)).toEqual({ refunded: false, owed: true })
  expect(outcomes.get(other.id)).toEqual({ refunded: false, owed: false })
  const collected = await inTenant(db, accountId, (trx) => collectResult(trx, accountId, '0@example.com'))
  expect(collected).toEqual({ status: 'valid' })
})

test('validations of another account are not ended', async () => {
  const [own, foreign] = [await openGroup(1), await openGroup(1)]
  const [ref] = foreign.refs as [ValidationRef]
  expect(await finishAtOnce(db, own.accountId, [finishOf(ref)])).toEqual(new Map())
  expect((await read(foreign.accountId)).rows.get(ref.id)).toMatchObject({ state: 'open' })
})
