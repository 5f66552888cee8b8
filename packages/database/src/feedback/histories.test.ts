import { MODEL_PARAMETERS } from '@probity/contract/constants/data/model-parameters'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { asOwner, inTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { listReliability, listWholeReliability } from './calibration.ts'
import { listHistories } from './histories.ts'
import { countOutcomes, type Outcome, removeDecayedOutcomes } from './outcomes.ts'
import { reportOf, TEST_PREDICTION, testOutcome } from './test-outcomes.ts'

const { db } = await createTestDatabase()
const close = (n: number) => expect.closeTo(n, 4)

async function openAccount() {
  const { id } = await openTestAccount(db, 0)
  const count = (outcomes: Outcome[]) => inTenant(db, id, (trx) => countOutcomes(trx, id, reportOf(outcomes)))
  const look = async (domain: string, shared = false) => {
    const [history] = await listHistories(db, id, [{ domain, provider: 'google' }], { shared })
    return history
  }
  return { id, count, look }
}

function outcomes(n: number, domain: string, changes: Partial<Outcome> = {}): Outcome[] {
  return Array.from({ length: n }, (_, k) => testOutcome(`a${k}@${domain}`, changes))
}

/** As if all of an account's outcomes had been counted so many days ago. */
async function age(accountId: string, days: number) {
  await asOwner(db, async (trx) => {
    for (const table of ['domain_outcomes', 'class_outcomes', 'calibration', 'outcome_marks']) {
      await sql`update ${sql.table(table)} set counted_at = counted_at - make_interval(days => ${days}::integer)
                where account_id = ${accountId}`.execute(trx)
    }
  })
}

test('answers in the order of what is asked, the same domain as often as it is', async () => {
  const { id, count } = await openAccount()
  await count([...outcomes(1, 'one.example'), ...outcomes(2, 'two.example')])
  const names = ['two.example', 'none.example', 'one.example', 'two.example']
  const asked = names.map((domain) => ({ domain, provider: domain === 'one.example' ? 'google' : 'other' }))
  const histories = await listHistories(db, id, asked, { shared: false })
  expect(histories.map(({ domain }) => Math.round(domain.delivered))).toEqual([2, 0, 1, 2])
  expect(histories.map(({ classes }) => Object.keys(classes))).toEqual([[], [], ['catch_all'], []])
  expect(await listHistories(db, id, [], { shared: true })).toEqual([])
})

test('after a half-life outcomes count half, and what is added then counts in full', async () => {
  const { id, count, look } = await openAccount()
  await count(outcomes(8, 'old.example'))
  await age(id, MODEL_PARAMETERS.half_life_days)
  expect(await look('old.example')).toMatchObject({
    domain: { delivered: close(4), shapes: [0, 0, close(4)] },
    classes: { catch_all: { delivered: close(4) } },
  })
  await count([testOutcome('new@old.example')])
  expect(await look('old.example')).toMatchObject({
    domain: { delivered: close(5), shapes: [0, 0, close(5)] },
    classes: { catch_all: { delivered: close(5) } },
  })
  const [reliability] = await inTenant(db, id, (trx) => listReliability(trx, { shared: false }))
  expect(reliability).toMatchObject({
    outcomes: 5,
    bins: [{ n: close(5), delivered: close(5), sumP: close(5 * 0.85) }],
  })
})

test('a bounce that comes a half-life late takes back what is left of its delivery', async () => {
  const { id, count, look } = await openAccount()
  await count(outcomes(2, 'late.example'))
  await age(id, MODEL_PARAMETERS.half_life_days)
  await count([testOutcome('a0@late.example', { outcome: 'bounced' })])
  expect(await look('late.example')).toMatchObject({ domain: { delivered: close(0.5), bounced: close(1) } })
})

test('an account sees its own outcomes and, unless they are shared, nobody else sees them', async () => {
  const [mine, theirs] = [await openAccount(), await openAccount()]
  await mine.count(outcomes(3, 'sealed.example'))
  expect(await mine.look('sealed.example')).toMatchObject({ domain: { delivered: close(3) } })
  const nothing = { domain: { delivered: 0, bounced: 0, shapes: [] }, classes: {}, isTrusted: true }
  expect(await theirs.look('sealed.example')).toEqual(nothing)
})

test('where outcomes are shared, ten thousand bounces of one account weigh no more than the bound for the others', async () => {
  const [loud, quiet, third] = [await openAccount(), await openAccount(), await openAccount()]
  await loud.count(outcomes(10_000, 'shared.example', { outcome: 'bounced' }))
  await quiet.count(outcomes(2, 'shared.example'))
  const max = MODEL_PARAMETERS.shared_weight_max
  expect(await third.look('shared.example', true)).toMatchObject({
    domain: { delivered: close(2), bounced: close(max), shapes: [0, 0, close(2)] },
  })
  expect(await quiet.look('shared.example', true)).toMatchObject({
    domain: { delivered: close(2), bounced: close(max) },
  })
  expect(await loud.look('shared.example', true)).toMatchObject({
    domain: { delivered: close(2), bounced: expect.closeTo(10_000, 0) },
  })
})

test('a capped account keeps its proportions, shapes and all', async () => {
  const [loud, other] = [await openAccount(), await openAccount()]
  await loud.count([
    ...outcomes(60, 'parts.example', { shape: 0 }),
    ...outcomes(20, 'parts.example').map((one) => ({ ...one, emailKey: `x${one.emailKey}` })),
    ...outcomes(20, 'parts.example', { outcome: 'bounced' }).map((one) => ({ ...one, emailKey: `y${one.emailKey}` })),
  ])
  expect(await other.look('parts.example', true)).toMatchObject({
    domain: { delivered: close(4), bounced: close(1), shapes: [close(3), close(0), close(1)] },
  })
})

/** Predictions of 0.85 of which this share is delivered. */
function predicted(n: number, share: number, provider = 'google'): Outcome[] {
  const prediction = { ...TEST_PREDICTION, provider }
  return Array.from({ length: n }, (_, k) => {
    const outcome = k < n * share ? 'delivered' : 'bounced'
    return testOutcome(`p${k}@calibrated.example`, { outcome, prediction })
  })
}

test('predictions that are far off are given up from 500 outcomes on, and not at 499', async () => {
  const { count, look } = await openAccount()
  await count(predicted(499, 0.5))
  expect(await look('calibrated.example')).toMatchObject({ isTrusted: true })
  await count([testOutcome('last@calibrated.example', { outcome: 'bounced' })])
  expect(await look('calibrated.example')).toMatchObject({ isTrusted: false })
})

test('predictions that hold are kept however many outcomes there are', async () => {
  const { count, look, id } = await openAccount()
  await count(predicted(600, 0.82))
  expect(await look('calibrated.example')).toMatchObject({ isTrusted: true })
  const [reliability] = await inTenant(db, id, (trx) => listReliability(trx, { shared: false }))
  expect(reliability).toMatchObject({ outcomes: 600, ece: close(0.03), hasFallenBack: false })
  expect(reliability?.brier).toBeCloseTo(0.82 * 0.15 ** 2 + 0.18 * 0.85 ** 2, 4)
})

test('another provider, and what the mail server decided, are judged by themselves', async () => {
  const { id, count } = await openAccount()
  const decided = predicted(600, 0.5, 'yahoo').map((one) => ({
    ...one,
    emailKey: `y${one.emailKey}`,
    prediction: { ...TEST_PREDICTION, provider: 'yahoo', isDecided: true },
  }))
  await count([...predicted(600, 0.5), ...decided])
  const asked = ['google', 'yahoo', ''].map((provider) => ({ domain: 'calibrated.example', provider }))
  const histories = await listHistories(db, id, asked, { shared: false })
  expect(histories.map(({ isTrusted }) => isTrusted)).toEqual([false, true, true])
})

test('few outcomes that weigh much are still few', async () => {
  const { count, look } = await openAccount()
  await count(predicted(100, 0.5).map((one) => ({ ...one, weight: 50 })))
  expect(await look('calibrated.example')).toMatchObject({ isTrusted: true })
})

test('where outcomes are shared, no account alone has the predictions of the others given up', async () => {
  const [loud, other] = [await openAccount(), await openAccount()]
  const more = await Promise.all(Array.from({ length: 4 }, openAccount))
  const provider = 'a provider of this test'
  const isTrusted = async () => {
    const [history] = await listHistories(db, other.id, [{ domain: 'x.example', provider }], { shared: true })
    return history?.isTrusted
  }
  await loud.count(predicted(5_000, 0, provider))
  expect(await isTrusted()).toBe(true)
  for (const { count } of more) {
    expect(await isTrusted()).toBe(true)
    await count(predicted(1_000, 0, provider))
  }
  expect(await isTrusted()).toBe(false)
  const whole = (await listWholeReliability(db)).find((one) => one.provider === provider)
  expect(whole).toMatchObject({ outcomes: 9_000, ece: close(0.85), hasFallenBack: true })
})

test('sums that have faded away are removed, and no others', async () => {
  const [gone, kept] = [await openAccount(), await openAccount()]
  for (const { count } of [gone, kept]) await count(outcomes(1, 'faded.example'))
  await age(gone.id, 5 * MODEL_PARAMETERS.half_life_days)
  await age(kept.id, 4 * MODEL_PARAMETERS.half_life_days)
  expect(await removeDecayedOutcomes(db)).toBe(3)
  const count = (accountId: string) =>
    asOwner(db, (trx) =>
      sql<{ n: number }>`select (select count(*) from domain_outcomes where account_id = ${accountId})
        + (select count(*) from class_outcomes where account_id = ${accountId})
        + (select count(*) from calibration where account_id = ${accountId}) as n`.execute(trx),
    )
  expect((await count(gone.id)).rows).toEqual([{ n: 0 }])
  expect((await count(kept.id)).rows).toEqual([{ n: 3 }])
})
