import { readFileSync } from 'node:fs'
import { STATUSES, SUB_STATUSES } from '@probity/contract/status'
import { expect, test } from 'vitest'
import { PRESETS } from './data/presets.ts'
import { isKept, PRESET_NAMES } from './preset.ts'

const EVERY = Object.entries(SUB_STATUSES).map(([reason, { status }]) => ({ reason, status, safeToSend: 'false' }))

function keptBy(preset: (typeof PRESET_NAMES)[number]) {
  return EVERY.filter((verdict) => isKept(preset, verdict)).map(({ reason }) => reason)
}

test('strict keeps nothing but what is valid and safe to send to', () => {
  expect(keptBy('strict')).toEqual([])
  expect(isKept('strict', { status: 'valid', reason: '', safeToSend: 'true' })).toBe(true)
})

test('balanced keeps what is valid, catch-all domains, and providers that tell nobody', () => {
  expect(keptBy('balanced')).toEqual(['', 'catch_all', 'provider_unverifiable'])
})

test('lenient keeps all but what is invalid', () => {
  const expected = EVERY.filter(({ status }) => status !== 'invalid').map(({ reason }) => reason)
  expect(keptBy('lenient')).toEqual(expected)
})

test('each preset keeps what the stricter one keeps, and none keeps a row without an address', () => {
  const [strict, balanced, lenient] = PRESET_NAMES.map((name) => new Set(keptBy(name)))
  expect([...(strict ?? [])].every((reason) => balanced?.has(reason))).toBe(true)
  expect([...(balanced ?? [])].every((reason) => lenient?.has(reason))).toBe(true)
  for (const name of PRESET_NAMES) expect(isKept(name, { status: '', reason: '', safeToSend: '' })).toBe(false)
})

test('every line names a status and a reason that there are, and stands in docs/cli.md with its reason', () => {
  const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8')
  for (const { status, because, ...rest } of Object.values(PRESETS).flat()) {
    expect(STATUSES).toHaveProperty(status)
    if ('reason' in rest) expect(SUB_STATUSES).toHaveProperty(rest.reason)
    expect(page).toContain(because)
  }
})
