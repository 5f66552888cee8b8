import { BASE_RATES, MODEL_PARAMETERS } from '@probity/contract/constants/data/model-parameters'
import { SUB_STATUSES, type SubStatus } from '@probity/contract/constants/validations'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SHAPES } from '../address/shape.ts'
import { type DeliverabilityInput, estimateDeliverability, type History, NO_HISTORY } from './deliverability.ts'

const RUNS = { numRuns: 20_000 }

const SUB_STATUS_NAMES = Object.keys(SUB_STATUSES) as SubStatus[]
const isOpen = (subStatus: SubStatus) => ['risky', 'unknown'].includes(SUB_STATUSES[subStatus].status)

const count = fc.oneof(
  fc.constant(0),
  fc.double({ min: 0, max: 20, noNaN: true }),
  fc.integer({ min: 0, max: 100_000 }),
)
const tally = fc
  .record({ delivered: count, bounced: count, part: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(({ part, ...sums }) => ({ ...sums, machine: part * sums.bounced }))
const history: fc.Arbitrary<History> = fc.record({
  domain: fc.record({
    delivered: count,
    bounced: count,
    shapes: fc.oneof(fc.constant([]), fc.array(count, { minLength: SHAPES.length, maxLength: SHAPES.length })),
  }),
  classes: fc.dictionary(fc.constantFrom(...SUB_STATUS_NAMES), tally),
  isTrusted: fc.boolean(),
})
const plausibility = fc.oneof(
  fc.record({ kind: fc.constant('scored' as const), logit: fc.double({ min: -6, max: 6, noNaN: true }) }),
  fc.record({ kind: fc.constant('abstained' as const), why: fc.constant('too_short' as const) }),
)
const text = fc.option(fc.record({ plausibility, shape: fc.constantFrom(...SHAPES) }), { nil: undefined })
const inputs = (names = SUB_STATUS_NAMES): fc.Arbitrary<DeliverabilityInput> =>
  fc.record({
    subStatus: fc.constantFrom(...names),
    provider: fc.constantFrom('', 'google', 'microsoft365', 'yahoo'),
    history,
    text,
  })

const logit = (p: number) => Math.log(p / (1 - p))

test('the parts sum up to the log-odds of the deliverability, which stays within its bounds', () => {
  fc.assert(
    fc.property(inputs(), (one) => {
      const { p, terms } = estimateDeliverability(one)
      const sum = terms.reduce((total, { logOdds }) => total + logOdds, 0)
      expect(Math.abs(sum - logit(p))).toBeLessThan(1e-9)
      expect(p).toBeGreaterThanOrEqual(MODEL_PARAMETERS.p_min)
      expect(p).toBeLessThanOrEqual(MODEL_PARAMETERS.p_max)
    }),
    RUNS,
  )
})

test('outcomes and text do not change a decision of a mail server or DNS', () => {
  const decided = SUB_STATUS_NAMES.filter((name) => !isOpen(name))
  fc.assert(
    fc.property(inputs(decided), (one) => {
      const { p, terms, isModelUsed } = estimateDeliverability(one)
      if (SUB_STATUSES[one.subStatus].status === 'valid') expect(p).toBeGreaterThanOrEqual(0.9)
      else expect(p).toBeLessThanOrEqual(0.1)
      expect([isModelUsed, terms.length]).toEqual([false, 1])
      expect(estimateDeliverability({ ...one, text: undefined }).p).toBe(p)
      expect(estimateDeliverability({ ...one, history: { ...one.history, domain: NO_HISTORY.domain } }).p).toBe(p)
    }),
    RUNS,
  )
})

test('a delivery never lowers the deliverability, a bounce never raises it, and a more human text never lowers it', () => {
  const more = fc.double({ min: 0.01, max: 50, noNaN: true })
  fc.assert(
    fc.property(inputs(SUB_STATUS_NAMES.filter(isOpen)), more, (one, by) => {
      const { domain } = one.history
      const p = estimateDeliverability(one).p
      const withDomain = (tallied: Partial<typeof domain>) =>
        estimateDeliverability({ ...one, history: { ...one.history, domain: { ...domain, ...tallied } } }).p
      expect(withDomain({ delivered: domain.delivered + by })).toBeGreaterThanOrEqual(p - 2e-6)
      expect(withDomain({ bounced: domain.bounced + by })).toBeLessThanOrEqual(p + 2e-6)
      if (one.text?.plausibility.kind !== 'scored') return
      const { logit: before } = one.text.plausibility
      const scored = { kind: 'scored' as const, logit: Math.min(6, before + by) }
      expect(estimateDeliverability({ ...one, text: { ...one.text, plausibility: scored } }).p).toBeGreaterThanOrEqual(
        p,
      )
    }),
    RUNS,
  )
})

test('the most human text adds little, and the least human one subtracts no more than the trust in the model', () => {
  const { machine_share_max: share, string_clip } = MODEL_PARAMETERS
  const most = -Math.log(1 - share)
  const least = -Math.log(1 - share + share * Math.exp(string_clip))
  fc.assert(
    fc.property(inputs(SUB_STATUS_NAMES.filter(isOpen)), (one) => {
      const byText = estimateDeliverability(one).terms.find(({ kind }) => kind === 'text')?.logOdds ?? 0
      expect(byText).toBeLessThanOrEqual(most + 0.002)
      expect(byText).toBeGreaterThanOrEqual(least - 0.002)
    }),
    RUNS,
  )
})

test('estimateDeliverability uses only the base rate when the calibration of the model is off', () => {
  const trusted = { subStatus: 'catch_all', provider: '', history: NO_HISTORY, text: MACHINE } as const
  const fallen = { ...trusted, history: { ...NO_HISTORY, isTrusted: false } }
  expect(estimateDeliverability(trusted)).toMatchObject({ isFallback: false, isModelUsed: true })
  expect(estimateDeliverability(trusted).p).toBeLessThan(0.6)
  expect(estimateDeliverability(fallen)).toMatchObject({
    p: BASE_RATES.catch_all.p,
    isFallback: true,
    isModelUsed: false,
  })
})

const RATHER_MACHINE = { plausibility: { kind: 'scored', logit: -3 }, shape: 'word and digits' } as const
const MACHINE = { plausibility: { kind: 'scored', logit: -6 }, shape: 'word and digits' } as const

test('the model counts as used from a noticeable change', () => {
  const used = (score: number) => {
    const scored = { plausibility: { kind: 'scored', logit: score }, shape: 'word' } as const
    return estimateDeliverability({ subStatus: 'catch_all', provider: '', history: NO_HISTORY, text: scored })
      .isModelUsed
  }
  expect([used(6), used(0), used(-2)]).toEqual([true, false, true])
})

test('outcomes of a class outweigh its prior', () => {
  const rate = (delivered: number, bounced: number) => {
    const learned = { ...NO_HISTORY, classes: { catch_all: { delivered, bounced, machine: 0 } } }
    return estimateDeliverability({ subStatus: 'catch_all', provider: '', history: learned, text: undefined }).p
  }
  expect(rate(0, 0)).toBe(BASE_RATES.catch_all.p)
  expect(rate(5_000, 5_000)).toBeCloseTo(0.5, 2)
  expect(rate(9_900, 100)).toBeGreaterThan(0.97)
})

test('an auto-generated text lowers the deliverability more, the more bounces were auto-generated', () => {
  const byText = (machine: number) => {
    const learned = { ...NO_HISTORY, classes: { catch_all: { delivered: 1_200, bounced: 300, machine } } }
    const { terms } = estimateDeliverability({
      subStatus: 'catch_all',
      provider: '',
      history: learned,
      text: RATHER_MACHINE,
    })
    return terms.find(({ kind }) => kind === 'text')?.logOdds ?? 0
  }
  expect(byText(250)).toBeLessThan(byText(30) - 0.2)
  expect(byText(0)).toBeGreaterThan(byText(30) + 0.2)
})

test('a few deliveries make it likely that a domain accepts every recipient, and one bounce makes it unlikely', () => {
  const at = (delivered: number, bounced: number) => {
    const known = { ...NO_HISTORY, domain: { delivered, bounced, shapes: [] } }
    return estimateDeliverability({ subStatus: 'catch_all', provider: '', history: known, text: undefined }).p
  }
  expect(at(4, 0)).toBeGreaterThan(0.9)
  expect(at(40, 0)).toBeGreaterThan(0.97)
  expect(at(4, 1)).toBeLessThan(0.85)
  expect(at(0, 4)).toBeLessThan(0.4)
})

test('an address with the usual shape of its domain gains, and one with another shape loses, once enough outcomes are known', () => {
  const byPattern = (shape: 'word.word' | 'word', known: number) => {
    const shapes = SHAPES.map((name) => (name === 'word.word' ? known : 0))
    const domain = { delivered: known, bounced: 2, shapes }
    const read = { plausibility: { kind: 'abstained', why: 'too_short' }, shape } as const
    const { terms } = estimateDeliverability({
      subStatus: 'catch_all',
      provider: '',
      history: { ...NO_HISTORY, domain },
      text: read,
    })
    return terms.find(({ kind }) => kind === 'pattern')?.logOdds ?? 0
  }
  expect(byPattern('word.word', 4)).toBe(0)
  expect(byPattern('word.word', 20)).toBeGreaterThan(0.05)
  expect(byPattern('word', 20)).toBeLessThan(-0.2)
})
