import type { Trait } from '@probity/contract/constants/validations'
import { expect, test } from 'vitest'
import { parseAddress } from '../address/parse.ts'
import type { ProbeResult } from '../smtp/probe/result.ts'
import { conclude, DEFAULT_OPTIONS } from './conclude.ts'
import type { Findings } from './decide.ts'
import { type History, NO_HISTORY } from './deliverability.ts'
import { explain, mailboxEvidence, syntaxEvidence } from './evidence.ts'

const ACCEPTED: ProbeResult = {
  finding: { kind: 'accepted', code: 250 },
  acceptAll: 'no',
  acceptAllSource: 'live',
  host: 'mx.example.com',
  transcript: [],
  at: 1,
  ms: 1,
}
const CATCH_ALL: ProbeResult = { ...ACCEPTED, acceptAll: 'yes' }
const REFUSED: ProbeResult = { ...ACCEPTED, finding: { kind: 'refused', reason: 'mailbox_not_found', code: 550 } }
const NO_CLASS = { isDisposable: false, isFree: false, isPrivacyRelay: false, disposableSources: [] }
const HUMAN = 'ada.lovelace@example.com'
const MACHINE = 'xk7qzvw9trb4@example.com'

function findings(email: string, mailbox: ProbeResult, isRole = false): Findings {
  const mail = { kind: 'hosts', source: 'mx', hosts: [{ name: 'mx.example.com', preference: 10 }] } as const
  return { address: parseAddress(email), isRole, mail: { ...mail, hosts: [...mail.hosts] }, mailbox }
}

function reported(delivered: number, bounced: number): History {
  return { ...NO_HISTORY, domain: { delivered, bounced, shapes: [] } }
}

function safe(email: string, mailbox: ProbeResult, more: object = {}, options = DEFAULT_OPTIONS): boolean {
  return conclude(findings(email, mailbox), { provider: '', ...more }, options).safeToSend
}

test('an accepted mailbox is safe to send to, unless it has a trait that the account excludes', () => {
  expect(safe(HUMAN, ACCEPTED)).toBe(true)
  expect(safe(HUMAN, REFUSED)).toBe(false)
  expect(safe(HUMAN, ACCEPTED, { classes: { ...NO_CLASS, isDisposable: true } })).toBe(false)
  expect(safe(HUMAN, ACCEPTED, { classes: { ...NO_CLASS, isFree: true } })).toBe(true)
  expect(
    safe(HUMAN, ACCEPTED, { classes: { ...NO_CLASS, isFree: true } }, { ...DEFAULT_OPTIONS, excludedTraits: ['free'] }),
  ).toBe(false)
  const role = findings('info@example.com', ACCEPTED, true)
  expect(conclude(role, { provider: '' }, DEFAULT_OPTIONS)).toMatchObject({ status: 'valid', safeToSend: false })
  expect(conclude(role, { provider: '' }, { ...DEFAULT_OPTIONS, excludedTraits: [] }).safeToSend).toBe(true)
})

const TRAITS: [trait: Trait, present: () => Findings, classes?: Partial<typeof NO_CLASS>][] = [
  ['free', () => findings(HUMAN, ACCEPTED), { isFree: true }],
  ['privacy_relay', () => findings(HUMAN, ACCEPTED), { isPrivacyRelay: true }],
  ['tagged', () => findings('ada.lovelace+news@example.com', ACCEPTED)],
  ['role_based', () => findings(HUMAN, ACCEPTED, true)],
  ['machine_generated', () => findings(MACHINE, ACCEPTED)],
]

test.each(TRAITS)(
  'the trait %s makes an address unsafe only if it is present and excluded',
  (trait, present, classes) => {
    const isSafe = (found: Findings, more: Partial<typeof NO_CLASS>, excludedTraits: Trait[]) =>
      conclude(found, { provider: '', classes: { ...NO_CLASS, ...more } }, { ...DEFAULT_OPTIONS, excludedTraits })
        .safeToSend
    expect(isSafe(present(), classes ?? {}, [trait])).toBe(false)
    expect(isSafe(present(), classes ?? {}, [])).toBe(true)
    expect(isSafe(findings(HUMAN, ACCEPTED), {}, [trait])).toBe(true)
  },
)

test('no address is safe to send to when the bounce tolerance is below the best estimate', () => {
  expect(safe(HUMAN, ACCEPTED, {}, { ...DEFAULT_OPTIONS, threshold: 0.99 })).toBe(false)
})

test('the model alone never makes an address at a new catch-all domain safe, at any bounce tolerance', () => {
  const lenient = { ...DEFAULT_OPTIONS, threshold: 0.5 }
  expect(safe(HUMAN, CATCH_ALL, {}, lenient)).toBe(false)
  expect(safe(HUMAN, CATCH_ALL, { history: reported(4, 0) }, lenient)).toBe(false)
  expect(safe(HUMAN, CATCH_ALL, { history: reported(5, 0) }, lenient)).toBe(true)
})

test('deliveries make an address at a catch-all domain safe, and bounces make it unsafe again', () => {
  expect(safe(HUMAN, CATCH_ALL, { history: reported(5, 0) })).toBe(false)
  expect(safe(HUMAN, CATCH_ALL, { history: reported(60, 0) })).toBe(true)
  expect(safe(HUMAN, CATCH_ALL, { history: reported(60, 6) })).toBe(false)
})

test('an auto-generated text is flagged and not safe to send to, except at a privacy relay', () => {
  const conclusion = (more: object, options = DEFAULT_OPTIONS) =>
    conclude(findings(MACHINE, ACCEPTED), { provider: '', ...more }, options)
  expect(conclusion({})).toMatchObject({ status: 'valid', isMachineGenerated: true, safeToSend: false })
  const relay = { classes: { ...NO_CLASS, isPrivacyRelay: true } }
  expect(conclusion(relay)).toMatchObject({ isMachineGenerated: false, safeToSend: true })
  const without = conclusion({}, { ...DEFAULT_OPTIONS, ai: false })
  expect(without).toMatchObject({ isMachineGenerated: false, safeToSend: true, plausibility: undefined })
})

test('confidence is the deliverability, and 1 minus the deliverability for invalid addresses', () => {
  const of = (mailbox: ProbeResult) => conclude(findings(HUMAN, mailbox), { provider: '' }, DEFAULT_OPTIONS)
  expect(of(ACCEPTED).confidence).toBe(of(ACCEPTED).estimate.p)
  expect(of(CATCH_ALL).confidence).toBe(of(CATCH_ALL).estimate.p)
  expect(of(REFUSED).confidence).toBeCloseTo(1 - of(REFUSED).estimate.p, 9)
})

test.each([
  ['an accepted mailbox', HUMAN, ACCEPTED, reported(50, 50), ['recipient']],
  ['a rejected mailbox', MACHINE, REFUSED, reported(50, 50), ['recipient']],
  ['a catch-all without a history', HUMAN, CATCH_ALL, NO_HISTORY, ['catch_all', 'address_text']],
  ['a catch-all with a history', MACHINE, CATCH_ALL, reported(40, 2), ['catch_all', 'domain_history', 'address_text']],
  [
    'a text that is too short to weigh',
    'ad@example.com',
    CATCH_ALL,
    reported(0.4, 0),
    ['catch_all', 'domain_history', 'address_text'],
  ],
  ['a model that is skipped', MACHINE, CATCH_ALL, { ...reported(40, 2), isTrusted: false }, ['catch_all']],
])('the weights of the evidence of %s sum up to the deliverability', (_name, email, mailbox, history, weighed) => {
  const found = findings(email, mailbox)
  const verdict = conclude(found, { provider: '', history }, DEFAULT_OPTIONS)
  const evidence = explain([syntaxEvidence(found.address, 0), ...mailboxEvidence(mailbox)], verdict, history)
  const { p } = verdict.estimate
  const sum = evidence.reduce((total, { log_odds = 0 }) => total + log_odds, 0)
  expect(Math.abs(sum - Math.log(p / (1 - p)))).toBeLessThan(1e-9)
  expect(evidence.flatMap(({ check, log_odds }) => (log_odds === undefined ? [] : [check]))).toEqual(weighed)
})

test('the evidence describes the score of the model, its abstention, and that it was skipped', () => {
  const words = (email: string, history: History) => {
    const found = findings(email, CATCH_ALL)
    const verdict = conclude(found, { provider: '', history }, DEFAULT_OPTIONS)
    return explain([], verdict, history).map(({ check, outcome }) => `${check} ${outcome}`)
  }
  expect(words(HUMAN, reported(30, 1))).toEqual(['domain_history positive', 'address_text human_like'])
  expect(words(MACHINE, reported(0, 3))).toEqual(['domain_history negative', 'address_text machine_like'])
  expect(words('12345678@example.com', NO_HISTORY)).toEqual(['address_text abstained'])
  expect(words(HUMAN, { ...reported(30, 1), isTrusted: false })).toEqual(['model fallback'])
})
