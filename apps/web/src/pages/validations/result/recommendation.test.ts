import { expect, test } from 'vitest'
import { recommend } from './recommendation.ts'
import { CATCH_ALL, testResult } from './test-result.ts'

const USUAL = {
  threshold: 0.97,
  excluded_traits: ['disposable' as const, 'role_based' as const, 'machine_generated' as const],
}
const { flags, details } = testResult({})
const MACHINE = { flags: { ...flags, is_machine_generated: true } }
const ROLE = { details: { ...details, is_role_based: true } }

const both = (result: Parameters<typeof recommend>[0], sending: Parameters<typeof recommend>[1]) => {
  const { word, why } = recommend(result, sending)
  return `${word}: ${why}`
}

test('recommend compares the expected bounce rate with the bounce tolerance', () => {
  expect(both(testResult({}), USUAL)).toBe(
    'Safe to send: The expected bounce rate is about 1.5%, within your bounce tolerance of 3%.',
  )
  expect(both(testResult({ safe_to_send: false }), { ...USUAL, threshold: 0.99 })).toBe(
    'Not safe to send: The expected bounce rate is about 1.5%, above your bounce tolerance of 1%.',
  )
})

test('recommend names only the tolerance when both rates round to the same figure', () => {
  expect(both(testResult({ deliverability: 0.9699, safe_to_send: false }), USUAL)).toMatch(
    /bounce rate is slightly above your/,
  )
  expect(both(testResult({ deliverability: 0.97 }), USUAL)).toMatch(/^Safe to send: .*bounce rate is within your/)
  expect(both(testResult({ deliverability: 0.9874 }), { ...USUAL, threshold: 0.9874 })).toMatch(
    /is within your bounce tolerance of 1\.26%/,
  )
})

test('recommend names the excluded traits that apply', () => {
  expect(both(testResult({ ...ROLE, safe_to_send: false }), USUAL)).toBe(
    'Not safe to send: Your settings exclude role addresses.',
  )
  expect(both(testResult({ ...ROLE, ...MACHINE, safe_to_send: false }), USUAL)).toBe(
    'Not safe to send: Your settings exclude role addresses and addresses that look auto-generated.',
  )
  expect(both(testResult(ROLE), { ...USUAL, excluded_traits: [] })).toMatch(/^Safe to send/)
})

test('recommend never calls an invalid address safe', () => {
  expect(both(testResult({ status: 'invalid', deliverability: 0.01, safe_to_send: false }), USUAL)).toBe(
    'Do not send: ',
  )
})

test('recommend requires reported outcomes for a catch-all domain', () => {
  const fresh = testResult({ ...CATCH_ALL, deliverability: 0.8 }, [['catch_all', 'detected', 1.386]])
  expect(both(fresh, USUAL)).toBe(
    'Not safe to send: The expected bounce rate is about 20%, above your bounce tolerance of 3%; only outcomes reported for the domain can improve the estimate.',
  )
  expect(both(fresh, { ...USUAL, threshold: 0.7 })).toBe(
    'Not safe to send: No mail server confirmed the mailbox, and fewer than 5 outcomes are reported for the domain.',
  )
  // Reported outcomes do not outweigh an excluded trait.
  expect(both({ ...fresh, ...ROLE }, USUAL)).toMatch(
    /^Not safe to send: Your settings exclude role addresses; .*of 3%\.$/,
  )
  const known = { ...CATCH_ALL, deliverability: 0.98, safe_to_send: true }
  expect(both(testResult(known, [['domain_history', 'positive', 2]]), USUAL)).toMatch(
    /^Safe to send: Confirmed by outcomes reported for the domain; the expected bounce rate is about 2%/,
  )
})

test('recommend requires an SMTP confirmation when the model is disabled', () => {
  const fallen = testResult({ ...CATCH_ALL, deliverability: 0.98 }, [['model', 'fallback']])
  expect(both(fallen, USUAL)).toBe('Not safe to send: Only an SMTP confirmation counts for this provider.')
})

test('recommend asks for another validation when the settings have changed since', () => {
  expect(both(testResult({ safe_to_send: false }), USUAL)).toBe(
    'Validate again: Not safe under earlier settings. Your current settings allow the address.',
  )
  expect(both(testResult(ROLE), USUAL)).toBe(
    'Validate again: Safe under earlier settings, but now your settings exclude role addresses.',
  )
})

test('recommend explains job results and ignores unknown traits', () => {
  const { details: _, ...single } = testResult({ safe_to_send: false })
  const row = { ...single, row: 2, domain: 'example.com', provider: '', is_disposable: true, is_role_based: false }
  const ofList = { ...row, has_spf: true, has_dmarc: true }
  const excludes = ['disposable', 'newer' as 'disposable'] as const
  expect(both(ofList, { threshold: 0.97, excluded_traits: [...excludes] })).toBe(
    'Not safe to send: Your settings exclude disposable addresses.',
  )
})

test('recommend names the override of the account', () => {
  expect(both(testResult({ override: 'block', safe_to_send: false }), USUAL)).toBe(
    'Do not send: The address or its domain is on your blocklist.',
  )
  const risky = { status: 'risky', sub_status: 'catch_all', override: 'allow', safe_to_send: true }
  expect(both(testResult(risky), USUAL)).toBe('Safe to send: The address or its domain is on your allowlist.')
  const gone = { status: 'invalid', override: 'allow', safe_to_send: false }
  expect(both(testResult(gone), USUAL)).toBe('Do not send: ')
})

test('recommend follows safe_to_send alone until the settings are loaded', () => {
  expect(recommend(testResult({}), undefined)).toMatchObject({ word: 'Safe to send', why: '' })
  expect(recommend(testResult(CATCH_ALL), undefined)).toMatchObject({ word: 'Not safe to send', why: '' })
})

test('recommend gives a result without a validation no reason to send', () => {
  const waiting = { status: 'unknown', sub_status: 'not_started', safe_to_send: false }
  expect(both(testResult(waiting), USUAL)).toBe('Validate again: ')
  const deferred = { status: 'unknown', safe_to_send: false, retry_at: '2026-11-02T12:05:00.000Z' }
  expect(both(testResult(deferred), USUAL)).toBe('Validate again: The final result is pending.')
})
