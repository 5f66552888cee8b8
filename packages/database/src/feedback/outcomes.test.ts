import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { asOwner, inTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { listHistories } from './histories.ts'
import { countOutcomes, type Outcome } from './outcomes.ts'
import { reportOf, TEST_PREDICTION, testOutcome } from './test-outcomes.ts'

const { db } = await createTestDatabase()

async function openAccount() {
  const { id } = await openTestAccount(db, 0)
  const count = (...outcomes: Outcome[]) => inTenant(db, id, (trx) => countOutcomes(trx, id, reportOf(outcomes)))
  const look = async (domain = 'firm.example', provider = 'google') => {
    const [history] = await listHistories(db, id, [{ domain, provider }], { shared: false })
    return history
  }
  return { id, count, look }
}

const close = (n: number) => expect.closeTo(n, 4)

/** The table `calibration` of an account, its sums rounded. */
async function readBins(accountId: string) {
  const { rows } = await inTenant(db, accountId, (trx) =>
    sql`select provider, kind, bin, n, weight, sum_p, sum_squared_error, delivered from calibration
        where account_id = ${accountId} order by provider, kind, bin`.execute(trx),
  )
  return rows
}

test('an outcome changes the sums of its domain, its class and its calibration bin', async () => {
  const { id, count, look } = await openAccount()
  const bounced = testOutcome('xq7zkv@firm.example', { outcome: 'bounced', looksMachine: true })
  const counted = await count(testOutcome('a.b@firm.example', { looksMachine: true }), bounced)

  expect(counted).toEqual({ delivered: 1, bounced: 1, duplicate: 0 })
  expect(await look()).toEqual({
    domain: { delivered: close(1), bounced: close(1), shapes: [0, 0, close(1)] },
    classes: { catch_all: { delivered: close(1), bounced: close(1), machine: close(1) } },
    isTrusted: true,
  })
  const squares = 0.15 ** 2 + 0.85 ** 2
  const sums = { n: close(2), weight: close(2), sumP: close(1.7), sumSquaredError: close(squares), delivered: close(1) }
  expect(await readBins(id)).toEqual([{ provider: 'google', kind: 'weighed', bin: 8, ...sums }])
})

test('decided and weighed predictions have separate bins, and 1 belongs to the last one', async () => {
  const { id, count } = await openAccount()
  await count(
    testOutcome('a@firm.example', { prediction: { ...TEST_PREDICTION, p: 1, isDecided: true } }),
    testOutcome('b@firm.example', { prediction: { ...TEST_PREDICTION, p: 0 } }),
  )
  const bins = (await readBins(id)) as { kind: string; bin: number }[]
  expect(bins.map(({ kind, bin }) => [kind, bin])).toEqual([
    ['decided', 9],
    ['weighed', 0],
  ])
})

test('repeating a report changes nothing', async () => {
  const { id, count, look } = await openAccount()
  const report = [testOutcome('a@firm.example'), testOutcome('b@firm.example', { outcome: 'bounced' })]
  await count(...report)
  const before = await readBins(id)
  expect(await count(...report)).toEqual({ delivered: 0, bounced: 0, duplicate: 2 })
  expect(await readBins(id)).toEqual(before)
  expect(await look()).toMatchObject({
    domain: { delivered: close(1), bounced: close(1), shapes: [0, 0, close(1)] },
    classes: { catch_all: { delivered: close(1), bounced: close(1) } },
  })
})

test('mail of another day is another outcome', async () => {
  const { id, count, look } = await openAccount()
  await count(testOutcome('a@firm.example'))
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  const report = { sentOn: yesterday, outcomes: [testOutcome('a@firm.example')] }
  await inTenant(db, id, (trx) => countOutcomes(trx, id, report))
  expect(await look()).toMatchObject({ domain: { delivered: close(2) } })
})

test('a late bounce subtracts its delivery from all sums with its full weight', async () => {
  const { id, count, look } = await openAccount()
  await count(testOutcome('a@firm.example', { weight: 4.5 }), testOutcome('b@firm.example'))
  // The prediction has expired by now; the counted values are subtracted.
  const counted = await count(testOutcome('a@firm.example', { outcome: 'bounced', prediction: undefined }))

  expect(counted).toEqual({ delivered: 0, bounced: 1, duplicate: 0 })
  expect(await look()).toMatchObject({
    domain: { delivered: close(1), bounced: close(1), shapes: [close(0), close(0), close(1)] },
    classes: { catch_all: { delivered: close(1), bounced: close(1) } },
  })
  expect(await readBins(id)).toMatchObject([
    {
      n: close(2),
      weight: close(2),
      sumP: close(1.7),
      sumSquaredError: close(0.15 ** 2 + 0.85 ** 2),
      delivered: close(1),
    },
  ])
})

test('a late bounce counts once, and a delivery after a bounce changes nothing', async () => {
  const { count, look } = await openAccount()
  await count(testOutcome('a@firm.example'))
  await count(testOutcome('a@firm.example', { outcome: 'bounced' }))
  expect(await count(testOutcome('a@firm.example', { outcome: 'bounced' }))).toMatchObject({ duplicate: 1 })
  expect(await count(testOutcome('a@firm.example'))).toMatchObject({ duplicate: 1 })
  expect(await look()).toMatchObject({ domain: { delivered: close(0), bounced: close(1) } })
})

test('concurrent reports count each outcome once, in any order', async () => {
  const { count, look } = await openAccount()
  const outcomes = Array.from({ length: 200 }, (_, n) => testOutcome(`a${n}@d${n % 7}.example`))
  const rounds = [outcomes, outcomes.toReversed(), outcomes.slice(100), outcomes.slice(0, 150).toReversed()]
  const answers = await Promise.all(rounds.map((round) => count(...round)))

  expect(answers.reduce((sum, { delivered }) => sum + delivered, 0)).toBe(200)
  const looks = await Promise.all(Array.from({ length: 7 }, (_, n) => look(`d${n}.example`)))
  expect(looks.reduce((sum, history) => sum + (history?.domain.delivered ?? 0), 0)).toBeCloseTo(200, 2)
})

test('an outcome without a prediction changes its domain only', async () => {
  const { id, count, look } = await openAccount()
  await count(testOutcome('a@firm.example', { prediction: undefined }))
  expect(await look()).toMatchObject({ domain: { delivered: close(1) }, classes: {} })
  expect(await readBins(id)).toEqual([])
})

test('a bounce whose deliveries are known as a total changes its class only', async () => {
  const { id, count, look } = await openAccount()
  await count(testOutcome('a@firm.example', { outcome: 'bounced', deliveriesBeside: 40 }))
  expect(await look()).toMatchObject({
    domain: { delivered: 0, bounced: 0 },
    classes: { catch_all: { delivered: close(40), bounced: close(1) } },
  })
  expect(await readBins(id)).toEqual([])
})

test('no address, and no part of one before its @, is in any of the tables', async () => {
  const { id, count } = await openAccount()
  await count(testOutcome('quite.unmistakable@firm.example'))
  for (const table of ['domain_outcomes', 'class_outcomes', 'calibration', 'outcome_marks']) {
    const { rows } = await asOwner(db, (trx) =>
      sql<{ text: string }>`select t::text as text from ${sql.table(table)} t where account_id = ${id}`.execute(trx),
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]?.text).not.toContain('unmistakable')
  }
})

test('the mark of an address differs between accounts', async () => {
  const [one, two] = [await openAccount(), await openAccount()]
  for (const { count } of [one, two]) await count(testOutcome('a@firm.example'))
  const { rows } = await asOwner(db, (trx) =>
    sql<{ n: number }>`select count(distinct mark) as n from outcome_marks
        where account_id in (${one.id}, ${two.id})`.execute(trx),
  )
  expect(rows).toEqual([{ n: 2 }])
})
