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

test('what is borne stands beside what is to be expected', () => {
  expect(sendReason(testResult({}), USUAL)).toBe(
    'Safe to send: you bear 3 bounces in 100, and about 1.5 are to be expected here.',
  )
  expect(sendReason(testResult({ safe_to_send: false }), { ...USUAL, threshold: 0.99 })).toBe(
    'Not safe to send: you bear 1 bounce in 100, and about 1.5 are to be expected here.',
  )
})

test('two figures that read alike are not set against each other', () => {
  expect(sendReason(testResult({ deliverability: 0.9699, safe_to_send: false }), USUAL)).toMatch(/slightly more are/)
  expect(sendReason(testResult({ deliverability: 0.97 }), USUAL)).toMatch(/^Safe to send: .*no more are/)
  expect(sendReason(testResult({ deliverability: 0.9874 }), { ...USUAL, threshold: 0.9874 })).toMatch(
    /bear 1\.26 bounces in 100, and no more are/,
  )
})

test('what the organisation leaves out is named, and only what applies', () => {
  expect(sendReason(testResult({ ...ROLE, safe_to_send: false }), USUAL)).toBe(
    'Not safe to send: you leave out role addresses.',
  )
  expect(sendReason(testResult({ ...ROLE, ...MACHINE, safe_to_send: false }), USUAL)).toBe(
    'Not safe to send: you leave out role addresses and addresses that look auto-generated.',
  )
  expect(sendReason(testResult(ROLE), { ...USUAL, excluded_traits: [] })).toMatch(/^Safe to send/)
})

test('nothing makes an address safe that would bounce', () => {
  expect(sendReason(testResult({ status: 'invalid', deliverability: 0.01, safe_to_send: false }), USUAL)).toBe(
    'Not safe to send: mail to it would bounce.',
  )
})

test('a catch-all needs outcomes of its domain, and is told so', () => {
  const fresh = testResult({ ...CATCH_ALL, deliverability: 0.8 }, [['catch_all', 'detected', 1.386]])
  expect(sendReason(fresh, USUAL)).toBe(
    'Not safe to send: you bear 3 bounces in 100, and about 20 are to be expected here; only outcomes reported for its domain could tell more.',
  )
  expect(sendReason(fresh, { ...USUAL, threshold: 0.7 })).toBe(
    'Not safe to send: no mail server confirms the mailbox, and there are fewer than 5 outcomes reported for its domain.',
  )
  // No outcome of its domain would make up for what is left out.
  expect(sendReason({ ...fresh, ...ROLE }, USUAL)).toMatch(/^Not safe to send: you leave out role addresses; .*here\.$/)
  const known = { ...CATCH_ALL, deliverability: 0.98, safe_to_send: true }
  expect(sendReason(testResult(known, [['domain_history', 'positive', 2]]), USUAL)).toMatch(
    /^Safe to send: what was reported of mail to its domain vouches for it; you bear 3/,
  )
})

test('where the model has fallen back, no number of outcomes is asked for', () => {
  const fallen = testResult({ ...CATCH_ALL, deliverability: 0.98 }, [['model', 'fallback']])
  expect(sendReason(fallen, USUAL)).toBe('Not safe to send: at this provider only a mail server’s own word counts now.')
})

test('a result of other settings is not explained by those of now', () => {
  expect(sendReason(testResult({ safe_to_send: false }), USUAL)).toMatch(/by settings that have changed since/)
  expect(sendReason(testResult(ROLE), USUAL)).toBe(
    'Safe to send by settings that have changed since: now you leave out role addresses.',
  )
})

test('a result of a list is explained as well, and what is left out need not be known here', () => {
  const { details: _, ...single } = testResult({ safe_to_send: false })
  const row = { ...single, row: 2, domain: 'example.com', provider: '', is_disposable: true, is_role_based: false }
  const ofList = { ...row, has_spf: true, has_dmarc: true }
  const excludes = ['disposable', 'newer' as 'disposable'] as const
  expect(sendReason(ofList, { threshold: 0.97, excluded_traits: [...excludes] })).toBe(
    'Not safe to send: you leave out disposable addresses.',
  )
})

test('a list of the organisation is the reason where the address is on one', () => {
  expect(sendReason(testResult({ override: 'block', safe_to_send: false }), USUAL)).toBe(
    'Not safe to send: it is on your block list.',
  )
  const risky = { status: 'risky', sub_status: 'catch_all', override: 'allow', safe_to_send: true }
  expect(sendReason(testResult(risky), USUAL)).toBe('Safe to send: it is on your allow list.')
  const gone = { status: 'invalid', override: 'allow', safe_to_send: false }
  expect(sendReason(testResult(gone), USUAL)).toBe('Not safe to send: mail to it would bounce.')
})
