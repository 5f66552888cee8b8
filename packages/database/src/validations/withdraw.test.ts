import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { getAccount } from '../accounts/accounts.ts'
import { listDrift } from '../billing/ledger.ts'
import { asOwner, inTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { withdrawUnclaimed } from './charge.ts'
import { deferValidations } from './deferred.ts'
import { claimValidations, listWaiting } from './queue.ts'
import { deferResult, finishValidations, openValidations, resumeOrCollect, type ValidationRef } from './validations.ts'

const { db } = await createTestDatabase()
const ANSWER = { status: 'unknown', sub_status: 'not_started' }
const HOLDER = { holdS: 60, egresses: ['a.example'] }

afterAll(async () => expect(await asOwner(db, listDrift)).toEqual([]))

async function openRows(accountId: string, count: number, timeoutMs = 0): Promise<ValidationRef[]> {
  const ids = Array.from({ length: count }, () => randomUUID())
  const rows = ids.map((id) => ({ id, email: id, emailKey: id, timeoutMs }))
  const opening = { accountId, keyId: null, retentionDays: 30, group: randomUUID() }
  const opened = await inTenant(db, accountId, (trx) => openValidations(trx, opening, rows))
  if (opened.kind !== 'opened') throw new Error(opened.kind)
  return opened.refs
}

async function openRow(accountId: string, timeoutMs = 0): Promise<ValidationRef> {
  const [ref] = await openRows(accountId, 1, timeoutMs)
  return ref as ValidationRef
}

async function withdraw(refs: ValidationRef[]): Promise<string[]> {
  const accountId = refs[0]?.accountId ?? ''
  const withdrawals = refs.map((ref) => ({ ref, result: ANSWER }))
  return [...(await inTenant(db, accountId, (trx) => withdrawUnclaimed(trx, accountId, withdrawals))).keys()]
}

async function claim(refs: ValidationRef[]): Promise<string[]> {
  return (await claimValidations(db, refs, HOLDER)).map(({ ref }) => ref.id)
}

async function balances(accountId: string): Promise<[available: number, spent: number]> {
  const { account } = await inTenant(db, accountId, (trx) => getAccount(trx, accountId))
  return [account.available, account.spent]
}

async function listEntries(accountId: string): Promise<string[]> {
  const entries = await inTenant(db, accountId, (trx) =>
    trx.selectFrom('ledger').select(['kind', 'dAvailable']).where('kind', '!=', 'grant').orderBy('id').execute(),
  )
  return entries.map(({ kind, dAvailable }) => `${kind} ${dAvailable}`)
}

test('withdrawUnclaimed ends and refunds a validation, once, and no worker can claim it afterwards', async () => {
  const { id: accountId } = await openTestAccount(db, 5)
  const ref = await openRow(accountId)
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => withdraw([ref])))
  expect(outcomes.flat()).toEqual([ref.id])
  expect([await balances(accountId), await listEntries(accountId)]).toEqual([
    [5, 0],
    ['charge -1', 'refund 1'],
  ])
  const waiting = await listWaiting(db, { olderThanMs: 0, limit: 1_000, egresses: [] })
  expect([waiting.map(({ id }) => id).includes(ref.id), await claim([ref])]).toEqual([false, []])
})

test('exactly one of a claim and a withdrawal wins when both come at the same moment', async () => {
  const rounds = 200
  const { id: accountId } = await openTestAccount(db, rounds)
  const winners = { claim: 0, withdraw: 0 }
  for (let n = 0; n < rounds; n++) {
    const ref = await openRow(accountId)
    // Either is sent first in half of the rounds.
    const both = n % 2 === 0 ? [claim([ref]), withdraw([ref])] : [withdraw([ref]), claim([ref])]
    const [claimed = [], withdrawn = []] =
      n % 2 === 0 ? await Promise.all(both) : (await Promise.all(both)).toReversed()
    expect([...claimed, ...withdrawn]).toEqual([ref.id])
    if (claimed.length === 0) winners.withdraw++
    else {
      winners.claim++
      const finish = { ref, conclusive: true, result: { status: 'valid' } }
      await inTenant(db, accountId, (trx) => finishValidations(trx, accountId, [finish]))
    }
  }
  expect(winners.claim + winners.withdraw).toBe(rounds)
  expect(Math.min(winners.claim, winners.withdraw)).toBeGreaterThan(0)
  expect(await balances(accountId)).toEqual([winners.withdraw, winners.claim])
  expect((await listEntries(accountId)).filter((entry) => entry === 'refund 1').length).toBe(winners.withdraw)
})

test('every address of many is either claimed or withdrawn, without a deadlock', async () => {
  for (let round = 0; round < 10; round++) {
    const { id: accountId } = await openTestAccount(db, 600)
    const refs = await openRows(accountId, 600)
    const parts = [0, 1, 2].map((part) => refs.filter((_, n) => n % 3 === part))
    const withdrawing = [withdraw(refs.toReversed()), withdraw(refs)]
    const claiming = parts.map((part) => claim(part.toReversed()))
    const [withdrawn, claimed] = [(await Promise.all(withdrawing)).flat(), (await Promise.all(claiming)).flat()]
    const all = [...withdrawn, ...claimed]
    expect([all.length, new Set(all).size]).toEqual([600, 600])
    expect(await balances(accountId)).toEqual([600 - claimed.length, claimed.length])
  }
})

test('withdrawUnclaimed does not end a validation that a worker has claimed, even when the claim has expired', async () => {
  const { id: accountId } = await openTestAccount(db, 5)
  const [held, expired, deferred] = await openRows(accountId, 3)
  if (!held || !expired || !deferred) throw new Error('three rows were opened')
  await claim([held, expired, deferred])
  await asOwner(db, (trx) => sql`update validations set claimed_until = now() where id = ${expired.id}`.execute(trx))
  const deferral = { ref: deferred, provisional: {}, retryAfterMs: 60_000, egress: null }
  await inTenant(db, accountId, (trx) => deferValidations(trx, accountId, [deferral]))
  expect(await withdraw([held, expired, deferred])).toEqual([])
  expect(await balances(accountId)).toEqual([2, 3])
})

test('withdrawUnclaimed does not end a validation while another request waits for it', async () => {
  const { id: accountId } = await openTestAccount(db, 5)
  const ref = await openRow(accountId, 60_000)
  expect(await withdraw([ref])).toEqual([])

  const joined = await openRow(accountId)
  await inTenant(db, accountId, (trx) => deferResult(trx, joined))
  const { underWay } = await inTenant(db, accountId, (trx) =>
    resumeOrCollect(trx, accountId, new Map([[joined.id, { timeoutMs: 60_000 }]])),
  )
  expect(underWay.get(joined.id)).toEqual(joined)
  expect(await withdraw([joined])).toEqual([])
  // A shorter wait does not cut a longer one short.
  await inTenant(db, accountId, (trx) => resumeOrCollect(trx, accountId, new Map([[joined.id, { timeoutMs: 1 }]])))
  expect(await withdraw([joined])).toEqual([])

  await asOwner(db, (trx) => sql`update validations set awaited_until = now() where id = ${joined.id}`.execute(trx))
  expect(await withdraw([joined])).toEqual([joined.id])
  const later = await inTenant(db, accountId, (trx) =>
    resumeOrCollect(trx, accountId, new Map([[joined.id, { timeoutMs: 60_000 }]])),
  )
  expect([later.underWay.size, later.collected.size]).toEqual([0, 0])
  expect(await balances(accountId)).toEqual([4, 1])
})

test('a tenant cannot withdraw the validation of another', async () => {
  const [{ id: accountId }, { id: otherId }] = [await openTestAccount(db, 5), await openTestAccount(db, 5)]
  const ref = await openRow(accountId)
  const withdrawn = await inTenant(db, otherId, (trx) => withdrawUnclaimed(trx, accountId, [{ ref, result: ANSWER }]))
  expect([...withdrawn, await balances(accountId)]).toEqual([[4, 1]])
})
