import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { getAccount } from '../accounts/accounts.ts'
import { listDrift } from '../billing/ledger.ts'
import { asOwner, inTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { listOverdue } from './queue.ts'
import {
  collectResult,
  deferResult,
  type Ending,
  finishValidation,
  openValidations,
  type ValidationRef,
} from './validations.ts'

const { db } = await createTestDatabase()
const DEFINITE: Ending = { conclusive: true, result: { status: 'valid', did_you_mean: null } }
const UNKNOWN: Ending = { conclusive: false, result: { status: 'unknown' } }

type Group = { group: string; ids: string[]; retentionDays?: number }

function newGroup(size: number): Group {
  return { group: randomUUID(), ids: Array.from({ length: size }, () => randomUUID()) }
}

/** Each row has its own address, which is its id. */
function open(accountId: string, { group, ids, retentionDays = 30 }: Group) {
  const rows = ids.map((id) => ({ id, email: id, emailKey: id }))
  const opening = { accountId, keyId: null, retentionDays, group }
  return inTenant(db, accountId, (trx) => openValidations(trx, opening, rows))
}

async function openOne(accountId: string): Promise<ValidationRef> {
  const opened = await open(accountId, newGroup(1))
  if (opened.kind !== 'opened') throw new Error(opened.kind)
  return opened.refs[0] as ValidationRef
}

function finish(ref: ValidationRef, ending: Ending) {
  return inTenant(db, ref.accountId, (trx) => finishValidation(trx, ref, ending))
}

function leave(ref: ValidationRef) {
  return inTenant(db, ref.accountId, (trx) => deferResult(trx, ref))
}

function collect(accountId: string, emailKey: string) {
  return inTenant(db, accountId, (trx) => collectResult(trx, accountId, emailKey))
}

async function balances(accountId: string) {
  const { account } = await inTenant(db, accountId, (trx) => getAccount(trx, accountId))
  return { available: account.available, spent: account.spent }
}

async function countRows(accountId: string, table: 'validations' | 'uncollectedResults') {
  const rows = await inTenant(db, accountId, (trx) => trx.selectFrom(table).select('expiresOn').execute())
  return rows.length
}

async function listMoves(accountId: string) {
  const moves = await inTenant(db, accountId, (trx) =>
    trx.selectFrom('ledger').select(['kind', 'dSpent']).where('kind', '!=', 'grant').orderBy('id').execute(),
  )
  return moves.map(({ kind, dSpent }) => `${kind} ${dSpent}`)
}

function find({ accountId, expiresOn, id }: ValidationRef) {
  return inTenant(db, accountId, (trx) => {
    const row = trx.selectFrom('validations').selectAll().where('expiresOn', '=', expiresOn)
    return row.where('accountId', '=', accountId).where('id', '=', id).executeTakeFirstOrThrow()
  })
}

afterAll(async () => {
  expect(await asOwner(db, listDrift)).toEqual([])
})

test('openValidations charges one credit per inserted row, in one transaction', async () => {
  const { id } = await openTestAccount(db, 10)
  const group = newGroup(3)
  const opened = await open(id, group)
  expect(opened).toMatchObject({ kind: 'opened', available: 7 })
  expect(opened.kind === 'opened' && opened.refs.map((ref) => ref.id).toSorted()).toEqual(group.ids.toSorted())
  expect(await balances(id)).toEqual({ available: 7, spent: 3 })
  expect(await listMoves(id)).toEqual(['charge 3'])
})

test('openValidations charges only for rows that did not exist', async () => {
  const { id } = await openTestAccount(db, 10)
  const first = newGroup(2)
  await open(id, first)
  const opened = await open(id, { group: randomUUID(), ids: [...first.ids, randomUUID()] })
  expect(opened).toMatchObject({ kind: 'opened', available: 7, refs: [expect.anything()] })
})

test('opening the same group again inserts and charges nothing, even 20 times concurrently', async () => {
  const { id } = await openTestAccount(db, 100)
  const group = newGroup(4)
  const opened = await Promise.all(Array.from({ length: 20 }, () => open(id, group)))
  const kinds = opened.map(({ kind }) => kind)
  expect(kinds.toSorted()).toEqual(['opened', ...Array<string>(19).fill('opened_before')])
  expect(await open(id, group)).toEqual({ kind: 'opened_before' })
  expect(await balances(id)).toEqual({ available: 96, spent: 4 })
  expect(await countRows(id, 'validations')).toBe(4)
})

test('openValidations throws when a group has other rows, and inserts none of them', async () => {
  const { id } = await openTestAccount(db, 10)
  const { group } = newGroup(0)
  await open(id, { group, ids: [randomUUID()] })
  await expect(open(id, { group, ids: [randomUUID()] })).rejects.toThrow('already charged for other rows')
  await expect(open(id, { group, ids: [randomUUID(), randomUUID()] })).rejects.toThrow('other credits')
  expect(await balances(id)).toEqual({ available: 9, spent: 1 })
  expect(await countRows(id, 'validations')).toBe(1)
})

test('nothing is stored when credits are insufficient and the caller rolls back', async () => {
  const { id: accountId } = await openTestAccount(db, 2)
  const rows = newGroup(3).ids.map((id) => ({ id, email: id, emailKey: id }))
  const opening = { accountId, keyId: null, retentionDays: 30, group: randomUUID() }
  const refused = inTenant(db, accountId, async (trx) => {
    const opened = await openValidations(trx, opening, rows)
    expect(opened).toEqual({ kind: 'refused', posting: { kind: 'insufficient', available: 2 } })
    throw new Error('rolled back')
  })
  await expect(refused).rejects.toThrow('rolled back')
  expect(await balances(accountId)).toEqual({ available: 2, spent: 0 })
  expect(await countRows(accountId, 'validations')).toBe(0)
})

test('a conclusive result is stored unchanged and stays charged', async () => {
  const { id } = await openTestAccount(db, 5)
  const ref = await openOne(id)
  expect(await finish(ref, DEFINITE)).toEqual({ kind: 'charged' })
  expect(await find(ref)).toMatchObject({ state: 'final', conclusive: true, result: DEFINITE.result })
  expect(await listMoves(id)).toEqual(['charge 1'])
})

test('an unknown result is refunded with one ledger row', async () => {
  const { id } = await openTestAccount(db, 5)
  const ref = await openOne(id)
  expect(await finish(ref, UNKNOWN)).toEqual({ kind: 'refunded' })
  expect(await listMoves(id)).toEqual(['charge 1', 'refund -1'])
  expect(await balances(id)).toEqual({ available: 5, spent: 0 })
})

const NO_REFUNDS = 'no-refunds'

await asOwner(db, (trx) =>
  sql`insert into plans select ${NO_REFUNDS}, api_access, ai_enhancement, catchall_detection, false, requests_per_window, window_s,
        interactive_in_flight, emails_per_file, changed_at from plans where name = 'payg'`.execute(trx),
)

test('an unknown result stays charged if the plan does not refund unknown results', async () => {
  const { id } = await openTestAccount(db, 5, { plan: NO_REFUNDS })
  const ref = await openOne(id)
  expect(await finish(ref, UNKNOWN)).toEqual({ kind: 'charged' })
  expect(await listMoves(id)).toEqual(['charge 1'])
  expect(await find(ref)).toMatchObject({ conclusive: false, refunded: false })
})

test.for(['not_probed', 'not_started', 'dns_failed'])(
  'a result that is %s is refunded on every plan',
  async (sub_status) => {
    const { id } = await openTestAccount(db, 5, { plan: NO_REFUNDS })
    const ref = await openOne(id)
    expect(await finish(ref, { conclusive: false, result: { status: 'unknown', sub_status } })).toEqual({
      kind: 'refunded',
    })
    expect(await find(ref)).toMatchObject({ conclusive: false, refunded: true })
  },
)

test('a conclusive result is never refunded, even if no mail server was probed', async () => {
  const { id } = await openTestAccount(db, 5)
  const ending = { conclusive: true, result: { status: 'unknown', sub_status: 'not_probed' } }
  expect(await finish(await openOne(id), ending)).toEqual({ kind: 'charged' })
  expect(await listMoves(id)).toEqual(['charge 1'])
})

test('one of 20 concurrent completions of a validation stores its result and settles its credits', async () => {
  const { id } = await openTestAccount(db, 5)
  const ref = await openOne(id)
  const endings = Array.from({ length: 20 }, (_, n) => ({ conclusive: n % 2 === 0, result: { n } }))
  const ended = await Promise.all(endings.map((ending) => finish(ref, ending)))

  const winners = endings.filter((_, n) => ended[n]?.kind !== 'finished_before')
  expect(winners.length).toBe(1)
  const { result, conclusive } = await find(ref)
  expect({ result, conclusive }).toEqual(winners[0])
  expect(await listMoves(id)).toEqual(conclusive ? ['charge 1'] : ['charge 1', 'refund -1'])
})

test('finishing a validation again changes neither its result nor its credits', async () => {
  const { id } = await openTestAccount(db, 5)
  const [charged, refunded] = [await openOne(id), await openOne(id)]
  await finish(charged, DEFINITE)
  await finish(refunded, UNKNOWN)
  const before = [await find(charged), await find(refunded), await listMoves(id)]

  expect(await finish(charged, UNKNOWN)).toEqual({ kind: 'finished_before' })
  expect(await finish(refunded, DEFINITE)).toEqual({ kind: 'finished_before' })
  expect(await finish(refunded, UNKNOWN)).toEqual({ kind: 'finished_before' })
  expect([await find(charged), await find(refunded), await listMoves(id)]).toEqual(before)
})

test('a result that arrived after the request is collected free of charge, by one of 20 concurrent requests', async () => {
  const { id } = await openTestAccount(db, 5)
  const ref = await openOne(id)
  expect(await leave(ref)).toBe(true)
  expect(await leave(ref)).toBe(true)
  expect(await collect(id, ref.id)).toBeUndefined()
  await finish(ref, DEFINITE)

  const answers = await Promise.all(Array.from({ length: 20 }, () => collect(id, ref.id)))
  expect(answers.filter((answer) => answer !== undefined)).toEqual([DEFINITE.result])
  expect(await collect(id, ref.id)).toBeUndefined()
  expect(await listMoves(id)).toEqual(['charge 1'])
  expect(await countRows(id, 'uncollectedResults')).toBe(0)
})

test('two pending results of one address are collected once each', async () => {
  const { id: accountId } = await openTestAccount(db, 5)
  const rows = [1, 2].map(() => ({ id: randomUUID(), email: 'x', emailKey: 'same' }))
  const opening = { accountId, keyId: null, retentionDays: 30, group: randomUUID() }
  const opened = await inTenant(db, accountId, (trx) => openValidations(trx, opening, rows))
  const refs = opened.kind === 'opened' ? opened.refs : []
  for (const ref of refs) await leave(ref)
  for (const ref of refs) await finish(ref, { conclusive: true, result: ref.id })

  const answers = [await collect(accountId, 'same'), await collect(accountId, 'same')]
  expect(new Set(answers)).toEqual(new Set(refs.map((ref) => ref.id)))
  expect(await collect(accountId, 'same')).toBeUndefined()
})

test('a collected result can be collected again after a rollback', async () => {
  const { id } = await openTestAccount(db, 5)
  const ref = await openOne(id)
  await leave(ref)
  await finish(ref, DEFINITE)
  const failing = inTenant(db, id, async (trx) => {
    await collectResult(trx, id, ref.id)
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  expect(await collect(id, ref.id)).toEqual(DEFINITE.result)
})

test('a deferred validation that ends unknown is refunded and cannot be collected', async () => {
  const { id } = await openTestAccount(db, 5)
  const ref = await openOne(id)
  await leave(ref)
  expect(await finish(ref, UNKNOWN)).toEqual({ kind: 'refunded' })
  expect(await collect(id, ref.id)).toBeUndefined()
  expect(await countRows(id, 'uncollectedResults')).toBe(0)
  expect(await balances(id)).toEqual({ available: 5, spent: 0 })
})

test('a result that was returned immediately is not collected again', async () => {
  const { id } = await openTestAccount(db, 5)
  const ref = await openOne(id)
  await finish(ref, DEFINITE)
  expect(await leave(ref)).toBe(false)
  expect(await collect(id, ref.id)).toBeUndefined()
})

test.for([0, 1, 2, 30])('a row is stored for a retention of %s days, and for a full day at least', async (days) => {
  const { id } = await openTestAccount(db, 5)
  const opened = await open(id, { ...newGroup(1), retentionDays: days })
  const { rows } = await asOwner(db, (trx) =>
    sql<{ day: string }>`select utc_today() + ${Math.max(days, 1)}::integer as day`.execute(trx),
  )
  expect(opened.kind === 'opened' && opened.refs[0]?.expiresOn).toBe(rows[0]?.day)
})

async function age({ id }: ValidationRef, by: string) {
  await asOwner(db, (trx) =>
    sql`update validations set created_at = created_at - ${by}::interval where id = ${id}`.execute(trx),
  )
}

test('listOverdue returns validations open for more than 24 hours, of all accounts, oldest first', async () => {
  const [one, two] = [await openTestAccount(db, 5), await openTestAccount(db, 5)]
  const [late, later] = [await openOne(one.id), await openOne(two.id)]
  const [fresh, done] = [await openOne(one.id), await openOne(two.id)]
  await age(late, '24 hours 1 minute')
  await age(later, '30 hours')
  await age(fresh, '23 hours 59 minutes')
  await age(done, '48 hours')
  await finish(done, DEFINITE)
  expect(await listOverdue(db, 100)).toMatchObject([later, late])
  expect(await listOverdue(db, 1)).toMatchObject([later])

  for (const ref of await listOverdue(db, 100)) {
    const ended = await Promise.all([1, 2, 3].map(() => finish(ref, UNKNOWN)))
    expect(ended.filter(({ kind }) => kind === 'refunded').length).toBe(1)
  }
  expect(await listOverdue(db, 100)).toEqual([])
  expect(await balances(one.id)).toEqual({ available: 4, spent: 1 })
  expect(await balances(two.id)).toEqual({ available: 4, spent: 1 })
})

test('a tenant can neither finish nor defer nor collect the validation of another', async () => {
  const [owner, outsider] = [await openTestAccount(db, 5), await openTestAccount(db, 5)]
  const ref = await openOne(owner.id)
  await leave(ref)
  for (const accountId of [owner.id, outsider.id]) {
    const named = { ...ref, accountId }
    const asOutsider = inTenant(db, outsider.id, async (trx) => [
      await finishValidation(trx, named, UNKNOWN),
      await deferResult(trx, named),
    ])
    expect(await asOutsider).toEqual([{ kind: 'finished_before' }, false])
  }

  await finish(ref, DEFINITE)
  for (const accountId of [owner.id, outsider.id]) {
    expect(await inTenant(db, outsider.id, (trx) => collectResult(trx, accountId, ref.id))).toBeUndefined()
  }
  expect(await balances(outsider.id)).toEqual({ available: 5, spent: 0 })
  expect(await collect(owner.id, ref.id)).toEqual(DEFINITE.result)
})
