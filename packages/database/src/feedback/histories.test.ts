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

/** Sets the time of all outcomes of an account to this many days ago. */
async function age(accountId: string, days: number) {
  await asOwner(db, async (trx) => {
    for (const table of ['domain_outcomes', 'class_outcomes', 'calibration', 'outcome_marks']) {
      await sql`update ${sql.table(table)} set counted_at = counted_at - make_interval(days => ${days}::integer)
                where account_id = ${accountId}`.execute(trx)
    }
  })
}

test('listHistories returns entries in the order of the request, with repetitions', async () => {
  const { id, count } = await openAccount()
  await count([...outcomes(1, 'one.example'), ...outcomes(2, 'two.example')])
  const names = ['two.example', 'none.example', 'one.example', 'two.example']
  const asked = names.map((domain) => ({ domain, provider: domain === 'one.example' ? 'google' : 'other' }))
  const histories = await listHistories(db, id, asked, { shared: false })
  expect(histories.map(({ domain }) => Math.round(domain.delivered))).toEqual([2, 0, 1, 2])
  expect(histories.map(({ classes }) => Object.keys(classes))).toEqual([[], [], ['catch_all'], []])
  expect(await listHistories(db, id, [], { shared: true })).toEqual([])
})

test('outcomes count half after a half-life, and new ones count in full', async () => {
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

test('a bounce after a half-life subtracts the remaining weight of its delivery', async () => {
  const { id, count, look } = await openAccount()
  await count(outcomes(2, 'late.example'))
  await age(id, MODEL_PARAMETERS.half_life_days)
  await count([testOutcome('a0@late.example', { outcome: 'bounced' })])
  expect(await look('late.example')).toMatchObject({ domain: { delivered: close(0.5), bounced: close(1) } })
})

test('outcomes are visible to their own account only, unless they are shared', async () => {
  const [mine, theirs] = [await openAccount(), await openAccount()]
  await mine.count(outcomes(3, 'sealed.example'))
  expect(await mine.look('sealed.example')).toMatchObject({ domain: { delivered: close(3) } })
  const nothing = { domain: { delivered: 0, bounced: 0, shapes: [] }, classes: {}, isTrusted: true }
  expect(await theirs.look('sealed.example')).toEqual(nothing)
})

test('shared outcomes of one account never exceed its maximum weight for the others', async () => {
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

test('capping scales all outcomes of an account, including shapes, by the same factor', async () => {
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

/** Outcomes with predictions of 0.85, of which this share is delivered. */
function predicted(n: number, share: number, provider = 'google'): Outcome[] {
  const prediction = { ...TEST_PREDICTION, provider }
  return Array.from({ length: n }, (_, k) => {
    const outcome = k < n * share ? 'delivered' : 'bounced'
    return testOutcome(`p${k}@calibrated.example`, { outcome, prediction })
  })
}

test('inaccurate predictions are disabled at 500 outcomes, not at 499', async () => {
  const { count, look } = await openAccount()
  await count(predicted(499, 0.5))
  expect(await look('calibrated.example')).toMatchObject({ isTrusted: true })
  await count([testOutcome('last@calibrated.example', { outcome: 'bounced' })])
  expect(await look('calibrated.example')).toMatchObject({ isTrusted: false })
})

test('accurate predictions stay enabled for any number of outcomes', async () => {
  const { count, look, id } = await openAccount()
  await count(predicted(600, 0.82))
  expect(await look('calibrated.example')).toMatchObject({ isTrusted: true })
  const [reliability] = await inTenant(db, id, (trx) => listReliability(trx, { shared: false }))
  expect(reliability).toMatchObject({ outcomes: 600, ece: close(0.03), hasFallenBack: false })
  expect(reliability?.brier).toBeCloseTo(0.82 * 0.15 ** 2 + 0.18 * 0.85 ** 2, 4)
})

test('reliability is separate per provider and for results that a mail server decided', async () => {
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

test('weight does not replace the required number of outcomes', async () => {
  const { count, look } = await openAccount()
  await count(predicted(100, 0.5).map((one) => ({ ...one, weight: 50 })))
  expect(await look('calibrated.example')).toMatchObject({ isTrusted: true })
})

test('one account cannot disable the predictions of the others through shared outcomes', async () => {
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

test('removeDecayedOutcomes deletes decayed sums only', async () => {
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
