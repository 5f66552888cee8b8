import { randomUUID } from 'node:crypto'
import { LEDGER_KINDS } from '@probity/contract/constants/billing'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { insertKey } from '../accounts/keys.ts'
import { asOwner, inTenant } from '../connection/connect.ts'
import { asOwnerOf, createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import {
  countLedger,
  cursorAfter,
  isAccountFunded,
  type LedgerFilter,
  listDrift,
  listLedger,
  type Movement,
  postCredits,
} from './ledger.ts'

const { db } = await createTestDatabase()

async function openBooks(credits: number) {
  const { id } = await openTestAccount(db, credits)
  return {
    id,
    post: (movement: Movement) => inTenant(db, id, (trx) => postCredits(trx, movement)),
    refund: (ids: string[]) =>
      asOwnerOf(db, id, (trx) => sql`select ledger_refund_validations(${ids}::uuid[], null)`.execute(trx)),
    list: (filter: LedgerFilter & { skip?: number; limit?: number } = {}) =>
      inTenant(db, id, (trx) => listLedger(trx, id, { limit: 100, ...filter })),
    count: (filter: LedgerFilter = {}) => inTenant(db, id, (trx) => countLedger(trx, id, filter)),
  }
}

test('the contract lists the transaction kinds of the database', async () => {
  const { rows } = await asOwner(db, (trx) => sql<{ kind: string }>`select kind from ledger_kinds`.execute(trx))
  expect(rows.map(({ kind }) => kind).toSorted()).toEqual(Object.keys(LEDGER_KINDS).toSorted())
})

test('listLedger returns every transaction, newest first, with the balance after it', async () => {
  const { post, refund, list } = await openBooks(20)
  const [job, group, validation] = [randomUUID(), randomUUID(), randomUUID()]
  await post({ kind: 'charge', credits: 2, subject: group })
  await post({ kind: 'reserve', credits: 10, subject: job })
  await post({ kind: 'settle', credits: 7, subject: job, part: 0 })
  await post({ kind: 'refund', credits: 3, subject: job, part: 0 })
  await post({ kind: 'release', credits: 3, subject: job })
  await refund([validation])
  await post({ kind: 'adjust', credits: -5, subject: randomUUID(), note: 'a correction' })
  const rows = (await list()).map((row) => [row.kind, row.credits, row.availableChange, row.availableAfter])
  expect(rows).toEqual([
    ['adjust', -5, -5, 10],
    ['refund', 1, 1, 15],
    ['release', 3, 3, 14],
    ['refund', 3, 3, 11],
    ['settle', 7, 0, 8],
    ['reserve', 10, -10, 8],
    ['charge', 2, -2, 18],
    ['grant', 20, 20, 20],
  ])
  const subjects = (await list()).map(({ subjectKind, subject }) => [subjectKind, subject])
  expect(subjects.slice(1, 7)).toEqual([
    ['validation', validation],
    ...Array(4).fill(['job', job]),
    ['validations', group],
  ])
  expect(subjects[0]?.[0]).toBe('account')
})

type Parts = { kind?: string; subject: string; parts: number[]; credits: number[] }

function postParts(accountId: string, { kind = 'settle', subject, parts, credits }: Parts) {
  return asOwnerOf(db, accountId, async (trx) => {
    const { rows } = await sql<{ outcome: string }>`
      select ledger_post_parts(${kind}, ${subject}, null, ${parts}::integer[], ${credits}::bigint[]) as outcome`.execute(
      trx,
    )
    return rows[0]?.outcome
  })
}

test('parts of a subject are posted together, one entry for each, and once', async () => {
  const { id, post, list } = await openBooks(20)
  const subject = randomUUID()
  await post({ kind: 'reserve', credits: 10, subject })
  expect(await postParts(id, { subject, parts: [0, 1], credits: [3, 2] })).toBe('posted')
  expect(await postParts(id, { subject, parts: [0, 1], credits: [3, 2] })).toBe('replayed')
  expect(await postParts(id, { subject, parts: [1, 2], credits: [2, 4] })).toBe('posted')
  expect(await post({ kind: 'settle', credits: 3, subject, part: 0 })).toMatchObject({ kind: 'replayed' })
  expect(await postParts(id, { kind: 'refund', subject, parts: [2], credits: [1] })).toBe('posted')
  const entries = (await list()).map(({ kind, part, credits }) => `${kind} ${part} ${credits}`)
  expect(entries).toEqual(['refund 2 1', 'settle 2 4', 'settle 1 2', 'settle 0 3', 'reserve 0 10', 'grant 0 20'])
  const account = await inTenant(db, id, (trx) =>
    trx.selectFrom('accounts').select(['available', 'reserved', 'spent']).executeTakeFirstOrThrow(),
  )
  expect(account).toEqual({ available: 11, reserved: 1, spent: 8 })
  expect(await asOwner(db, listDrift)).toEqual([])
})

test('parts with other credits than before, of another kind or without credits are rejected, and nothing is posted', async () => {
  const { id, post, count } = await openBooks(20)
  const subject = randomUUID()
  await post({ kind: 'reserve', credits: 10, subject })
  await postParts(id, { subject, parts: [0], credits: [3] })
  await expect(postParts(id, { subject, parts: [0, 1], credits: [4, 1] })).rejects.toThrow('with other credits')
  await expect(postParts(id, { kind: 'charge', subject, parts: [0], credits: [1] })).rejects.toThrow(
    'not posted in parts',
  )
  for (const credits of [[0], [-1], [1, 1], []]) {
    await expect(postParts(id, { subject, parts: [5], credits })).rejects.toThrow('makes no sense')
  }
  expect(await count()).toBe(3)
})

test('no part is settled while the account is on hold, but refunds are posted', async () => {
  const { id, post } = await openBooks(20)
  const subject = randomUUID()
  await post({ kind: 'reserve', credits: 10, subject })
  await postParts(id, { subject, parts: [0], credits: [3] })
  await asOwner(db, (trx) => sql`update accounts set on_hold_since = now() where id = ${id}`.execute(trx))
  expect(await postParts(id, { subject, parts: [1, 2], credits: [2, 4] })).toBe('on_hold')
  expect(await postParts(id, { kind: 'refund', subject, parts: [0], credits: [1] })).toBe('posted')
})

test('the balance after a transaction does not depend on the filter or the page', async () => {
  const { post, list, count } = await openBooks(100)
  for (let n = 1; n <= 12; n++) {
    await post({ kind: n % 3 === 0 ? 'refund' : 'charge', credits: n, subject: randomUUID() })
  }
  const all = await list()
  const refunds = all.filter(({ kind }) => kind === 'refund')
  expect(await list({ kinds: ['refund'] })).toEqual(refunds)
  expect(await list({ kinds: ['refund'], skip: 2, limit: 1 })).toEqual(refunds.slice(2, 3))
  expect(await list({ skip: 5, limit: 4 })).toEqual(all.slice(5, 9))
  expect(await list({ kinds: [] })).toEqual([])
  expect([await count(), await count({ kinds: ['refund'] }), await count({ kinds: [] })]).toEqual([13, 4, 0])
})

test('the next page continues after the last row, even if rows were added meanwhile', async () => {
  const { id, post, list } = await openBooks(50)
  for (let n = 1; n <= 5; n++) await post({ kind: 'charge', credits: n, subject: randomUUID() })
  const all = await list()
  const third = all[2]
  if (third === undefined) throw new Error('there are six movements')
  await post({ kind: 'charge', credits: 9, subject: randomUUID() })
  const rest = await inTenant(db, id, (trx) => listLedger(trx, id, { limit: 100, before: cursorAfter(third) }))
  expect(rest).toEqual(all.slice(3))
})

test('listLedger filters by key', async () => {
  const { id, post, list } = await openBooks(50)
  const { key } = await inTenant(db, id, (trx) =>
    insertKey(trx, id, { mode: 'live', name: 'The form', scopes: ['validations:write'] }),
  )
  await post({ kind: 'charge', credits: 1, subject: randomUUID(), keyId: key.id })
  expect((await list({ keyId: key.id })).map(({ kind, keyName }) => [kind, keyName])).toEqual([['charge', 'The form']])
  expect((await list({ keyId: null })).map(({ kind }) => kind)).toEqual(['grant'])
})

test('listLedger filters by day, from the start of the first day to the end of the last', async () => {
  const { id, list } = await openBooks(50)
  const times = ['2026-01-31T00:00:00.000Z', '2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00.000Z']
  for (const at of times) {
    await asOwner(db, (trx) =>
      sql`insert into ledger (account_id, kind, subject, d_available, d_reserved, d_spent, at)
        values (${id}, 'settle', gen_random_uuid(), 0, -1, 1, ${at})`.execute(trx),
    )
  }
  const found = async (filter: LedgerFilter) =>
    (await list({ ...filter, kinds: ['settle'] })).map(({ at }) => at.toISOString()).toReversed()
  expect(await found({ from: '2026-01-31', to: '2026-01-31' })).toEqual(times.slice(0, 2))
  expect(await found({ to: '2026-02-01' })).toEqual(times)
  expect(await found({ from: '2026-02-01' })).toEqual(times.slice(2))
  expect(await found({ to: '2026-01-30' })).toEqual([])
})

test('an account cannot read the transactions of another', async () => {
  const [mine, theirs] = [await openBooks(1), await openBooks(2)]
  const seen = await inTenant(db, mine.id, (trx) => listLedger(trx, theirs.id, { limit: 100 }))
  expect(seen).toEqual([])
  expect(await inTenant(db, mine.id, (trx) => countLedger(trx, theirs.id, {}))).toBe(0)
  expect(await mine.count()).toBe(1)
})

test('isAccountFunded is true for granted and unlimited credits, and false for the opening balance', async () => {
  const fund = (id: string) => inTenant(db, id, (trx) => isAccountFunded(trx, id))
  const [empty, granted, unlimited, opening] = [
    await openTestAccount(db, 0),
    await openTestAccount(db, 5),
    await openTestAccount(db, 0, { unlimited: true }),
    await asOwner(db, async (trx) => {
      const { rows: users } = await sql<{ id: string }>`
        insert into users (name, email) values ('Ada', 'ada@example.com') returning id`.execute(trx)
      const { rows } = await sql<{ id: string }>`
        select create_account(${users[0]?.id}, 'Engines', 'payg', 100, decode(repeat('00', 32), 'hex')) as id`.execute(
        trx,
      )
      return rows[0] as { id: string }
    }),
  ]
  expect(await Promise.all([empty, granted, unlimited, opening].map(({ id }) => fund(id)))).toEqual([
    false,
    true,
    true,
    false,
  ])
  await inTenant(db, opening.id, (trx) => postCredits(trx, { kind: 'grant', credits: 1, subject: randomUUID() }))
  expect(await fund(opening.id)).toBe(true)
})
