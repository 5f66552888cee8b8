import { BASE_RATES, MODEL_PARAMETERS } from '@probity/contract/constants/data/model-parameters'
import { Model } from '@probity/contract/schemas/feedback'
import { inTenant } from '@probity/database/connection/connect'
import { countOutcomes } from '@probity/database/feedback/outcomes'
import { reportOf, TEST_PREDICTION, testOutcome } from '@probity/database/feedback/test-outcomes'
import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { startTestApi, type TestClient } from '../testing/test-api.ts'

const api = await startTestApi()
const sharing = await startTestApi({ config: { sharesFeedback: true } })

const MODEL = { method: 'GET', url: '/api/v1/model' } as const

/** Stores n outcomes with a prediction of 0.85, of which this share was delivered. */
async function count({ db }: typeof api, { accountId }: TestClient, n: number, share: number) {
  const outcomes = Array.from({ length: n }, (_, k) =>
    testOutcome(`a${k}@firm.example`, { outcome: k < n * share ? 'delivered' : 'bounced' }),
  )
  await inTenant(db, accountId, (trx) => countOutcomes(trx, accountId, reportOf(outcomes)))
}

test('GET /model returns the scoring model in exactly the shape of the contract', async () => {
  const { call } = await api.openCaller()
  const { status, body } = await call(MODEL)
  expect([status, Value.Check(Model, body)]).toEqual([200, true])
  const model = body as Model
  expect(model.parameters).toEqual(MODEL_PARAMETERS)
  const general = model.base_rates.filter(({ provider }) => provider === null)
  expect(general.map(({ sub_status, p, swallow }) => [sub_status, { p, swallow }])).toEqual(Object.entries(BASE_RATES))
  expect(model.base_rates).toContainEqual({ sub_status: 'catch_all', provider: 'google', p: 0.85, swallow: 0.35 })
  expect(model.calibration).toEqual({ scope: 'account', last_outcome_at: null, providers: [] })
})

test('the calibration lists predictions and outcomes by provider and decile', async () => {
  const caller = await api.openCaller()
  await count(api, caller, 40, 0.5)
  const { body } = await caller.call(MODEL)
  const { calibration } = body as Model
  const bin = { from: 0.8, to: 0.9, outcomes: 40, predicted: 0.85, observed: 0.5 }
  const brier = 0.5 * 0.15 ** 2 + 0.5 * 0.85 ** 2
  expect(calibration.providers).toEqual([
    {
      provider: 'google',
      kind: 'weighed',
      outcomes: 40,
      ece: 0.35,
      brier: expect.closeTo(brier, 4),
      fallen_back: false,
      bins: [bin],
    },
  ])
  expect(Date.now() - Date.parse(calibration.last_outcome_at ?? '')).toBeLessThan(60_000)
})

test('the calibration shows where predictions were withdrawn', async () => {
  const caller = await api.openCaller()
  await count(api, caller, 500, 0.5)
  const { body } = await caller.call(MODEL)
  expect((body as Model).calibration.providers).toMatchObject([
    { provider: TEST_PREDICTION.provider, fallen_back: true },
  ])
})

test('the calibration covers the account only, unless feedback is shared', async () => {
  for (const [where, scope, seen] of [
    [api, 'account', 0],
    [sharing, 'shared', 1],
  ] as const) {
    const [mine, theirs] = [await where.openCaller(), await where.openCaller()]
    await count(where, theirs, 20, 0.8)
    const { body } = await mine.call(MODEL)
    const { calibration } = body as Model
    expect([calibration.scope, calibration.providers.length]).toEqual([scope, seen])
  }
})

test('a key without account:read gets the name of the missing scope', async () => {
  const { call } = await api.openCaller({ key: { scopes: ['validations:write'] } })
  const { status, body } = await call(MODEL)
  expect([status, body['code']]).toEqual([403, 'missing_scope'])
})
