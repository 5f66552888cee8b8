import { readFileSync } from 'node:fs'
import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { isWellFormedKey } from '../../constants/keys.ts'
import { findSandboxCase, PUBLIC_SANDBOX_KEY, SANDBOX } from '../../constants/sandbox.ts'
import { SUB_STATUSES } from '../../constants/validations.ts'
import { ValidationResult } from './single.ts'
import { sandboxResult, unmappedResult } from './stored-result.ts'

const FRESH = {
  override: null,
  performance: { response_time_ms: 1 },
  metadata: { timestamp: 1, plan_tier: 'free', features_used: { catchall_detection: false, ai_enhancement: false } },
  id: '0198f2c4-7b20-7a16-8e04-51c09d3e7f42',
  livemode: false,
  retry_at: null,
  reference: null,
}

const VERDICTS = Object.entries(SANDBOX).flatMap(([name, found]) =>
  found.kind === 'verdict' ? [[name, found] as const] : [],
)

test.each(VERDICTS)('%s@ returns its named result in the shape of the contract', (name, found) => {
  const result = sandboxResult(`${name}@example.com`, found)
  expect(Value.Check(ValidationResult, { ...result, ...FRESH })).toBe(true)
  expect(result.sub_status).toBe(found.subStatus)
  expect(result.status).toBe(SUB_STATUSES[found.subStatus].status)
  expect(result.is_valid).toBe(result.status === 'valid')
  expect(result.safe_to_send && result.status !== 'valid').toBe(false)
})

test('every reason has a sandbox case', () => {
  const names = Object.keys(SUB_STATUSES).filter((name) => name !== '' && name !== 'sandbox_unmapped')
  const missing = names.filter((name) => SANDBOX[name.replaceAll('_', '-')] === undefined)
  expect(missing).toEqual([])
})

test.each([
  ['mailbox-full@example.com', 'mailbox-full'],
  ['Mailbox-Full@example.com', 'mailbox-full'],
  ['ada+mailbox-full@example.com', 'mailbox-full'],
  ['valid+mailbox-full@example.com', 'mailbox-full'],
  ['valid+other@example.com', undefined],
  ['ada@example.com', undefined],
  ['validated@example.com', undefined],
  ['constructor@example.com', undefined],
  ['valid', undefined],
  ['@', undefined],
  ['', undefined],
])('%s selects %s', (email, name) => {
  expect(findSandboxCase(email)).toBe(name === undefined ? undefined : SANDBOX[name])
})

test('the traits are set in the fields where they belong', () => {
  const of = (name: string) => {
    const found = SANDBOX[name]
    if (found?.kind !== 'verdict') throw new Error(name)
    return sandboxResult(`${name}@example.com`, found)
  }
  expect(of('role')).toMatchObject({ is_valid: true, safe_to_send: false, details: { is_role_based: true } })
  expect(of('disposable')).toMatchObject({ status: 'risky', details: { is_disposable: true } })
  expect(of('catch-all')).toMatchObject({ status: 'risky', catchall: { is_catchall: true } })
  expect(of('typo')).toMatchObject({ status: 'invalid', did_you_mean: 'typo@gmail.com' })
  expect(of('free').flags).toMatchObject({ is_free: true })
  expect(of('privacy-relay').flags).toMatchObject({ is_privacy_relay: true })
})

test('addresses without a sandbox case are never valid, and the result names alternatives', () => {
  const result = unmappedResult('ada@example.com')
  expect(Value.Check(ValidationResult, { ...result, ...FRESH })).toBe(true)
  expect(result).toMatchObject({ status: 'unknown', sub_status: 'sandbox_unmapped', is_valid: false })
  expect(result.evidence[0]?.detail).toMatch(/valid@/)
})

test('the public sandbox key is a well-formed test key', () => {
  expect(PUBLIC_SANDBOX_KEY).toMatch(/^pb_test_/)
  expect(isWellFormedKey(PUBLIC_SANDBOX_KEY)).toBe(true)
})

test('the table in docs/test-mode.md lists every sandbox case and the public key', () => {
  const page = readFileSync(new URL('../../../../../docs/test-mode.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, name, meaning]) => [name, meaning])
  expect(rows).toEqual(Object.entries(SANDBOX).map(([name, { meaning }]) => [name, meaning]))
  expect(page).toContain(PUBLIC_SANDBOX_KEY)
})
