import { expect, test } from 'vitest'
import { sendReason } from './send-reason.ts'
import { CATCH_ALL, testResult } from './test-result.ts'

const USUAL = {
  threshold: 0.97,
  excluded_traits: ['disposable' as const, 'role_based' as const, 'machine_generated' as const],
}
const { flags, details } = testResult({})
const MACHINE = { flags: { ...flags, is_machine_generated: true } }
const ROLE = { details: { ...details, is_role_based: true } }

test('sendReason compares the expected bounce rate with the bounce tolerance', () => {
  expect(sendReason(testResult({}), USUAL)).toBe(
    'Safe to send: the expected bounce rate is about 1.5%, within your bounce tolerance of 3%.',
  )
  expect(sendReason(testResult({ safe_to_send: false }), { ...USUAL, threshold: 0.99 })).toBe(
    'Not safe to send: the expected bounce rate is about 1.5%, above your bounce tolerance of 1%.',
  )
})

test('sendReason names only the tolerance when both rates round to the same figure', () => {
  expect(sendReason(testResult({ deliverability: 0.9699, safe_to_send: false }), USUAL)).toMatch(
    /bounce rate is slightly above your/,
  )
  expect(sendReason(testResult({ deliverability: 0.97 }), USUAL)).toMatch(/^Safe to send: .*bounce rate is within your/)
  expect(sendReason(testResult({ deliverability: 0.9874 }), { ...USUAL, threshold: 0.9874 })).toMatch(
    /is within your bounce tolerance of 1\.26%/,
  )
})

test('sendReason names the excluded traits that apply', () => {
  expect(sendReason(testResult({ ...ROLE, safe_to_send: false }), USUAL)).toBe(
    'Not safe to send: your settings exclude role addresses.',
  )
  expect(sendReason(testResult({ ...ROLE, ...MACHINE, safe_to_send: false }), USUAL)).toBe(
    'Not safe to send: your settings exclude role addresses and addresses that look auto-generated.',
  )
  expect(sendReason(testResult(ROLE), { ...USUAL, excluded_traits: [] })).toMatch(/^Safe to send/)
})

test('sendReason calls an invalid address not safe', () => {
  expect(sendReason(testResult({ status: 'invalid', deliverability: 0.01, safe_to_send: false }), USUAL)).toBe(
    'Not safe to send: mail to this address would bounce.',
  )
})

test('sendReason requires reported outcomes for a catch-all domain', () => {
  const fresh = testResult({ ...CATCH_ALL, deliverability: 0.8 }, [['catch_all', 'detected', 1.386]])
  expect(sendReason(fresh, USUAL)).toBe(
    'Not safe to send: the expected bounce rate is about 20%, above your bounce tolerance of 3%; only outcomes reported for the domain can improve the estimate.',
  )
  expect(sendReason(fresh, { ...USUAL, threshold: 0.7 })).toBe(
    'Not safe to send: no mail server confirmed the mailbox, and fewer than 5 outcomes are reported for the domain.',
  )
  // Reported outcomes do not outweigh an excluded trait.
  expect(sendReason({ ...fresh, ...ROLE }, USUAL)).toMatch(
    /^Not safe to send: your settings exclude role addresses; .*of 3%\.$/,
  )
  const known = { ...CATCH_ALL, deliverability: 0.98, safe_to_send: true }
  expect(sendReason(testResult(known, [['domain_history', 'positive', 2]]), USUAL)).toMatch(
    /^Safe to send: confirmed by outcomes reported for the domain; the expected bounce rate is about 2%/,
  )
})

test('sendReason requires an SMTP confirmation when the model is disabled', () => {
  const fallen = testResult({ ...CATCH_ALL, deliverability: 0.98 }, [['model', 'fallback']])
  expect(sendReason(fallen, USUAL)).toBe('Not safe to send: only an SMTP confirmation counts for this provider.')
})

test('sendReason separates the settings at validation time from the current ones', () => {
  expect(sendReason(testResult({ safe_to_send: false }), USUAL)).toMatch(
    /^Not safe to send under earlier settings\. Safe under/,
  )
  expect(sendReason(testResult(ROLE), USUAL)).toBe(
    'Safe to send under earlier settings. Not safe under your current settings: your settings exclude role addresses.',
  )
})

test('sendReason explains job results and ignores unknown traits', () => {
  const { details: _, ...single } = testResult({ safe_to_send: false })
  const row = { ...single, row: 2, domain: 'example.com', provider: '', is_disposable: true, is_role_based: false }
  const ofList = { ...row, has_spf: true, has_dmarc: true }
  const excludes = ['disposable', 'newer' as 'disposable'] as const
  expect(sendReason(ofList, { threshold: 0.97, excluded_traits: [...excludes] })).toBe(
    'Not safe to send: your settings exclude disposable addresses.',
  )
})

test('sendReason names the override of the account', () => {
  expect(sendReason(testResult({ override: 'block', safe_to_send: false }), USUAL)).toBe(
    'Not safe to send: the address or its domain is on your blocklist.',
  )
  const risky = { status: 'risky', sub_status: 'catch_all', override: 'allow', safe_to_send: true }
  expect(sendReason(testResult(risky), USUAL)).toBe('Safe to send: the address or its domain is on your allowlist.')
  const gone = { status: 'invalid', override: 'allow', safe_to_send: false }
  expect(sendReason(testResult(gone), USUAL)).toBe('Not safe to send: mail to this address would bounce.')
})
