import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { BOUNCE_RANGES, PRESETS } from './data/presets.ts'
import { expectBounces, isKept, keptReasons, lastingReason, PRESET_NAMES } from './jobs.ts'
import { STATUSES, SUB_STATUSES } from './validations.ts'

const EVERY = Object.entries(SUB_STATUSES).map(([subStatus, { status }]) => ({ subStatus, status, safeToSend: false }))

function keptBy(preset: (typeof PRESET_NAMES)[number]) {
  return EVERY.filter((kind) => isKept(preset, kind)).map(({ subStatus }) => subStatus)
}

test('safest keeps only valid results that are safe to send', () => {
  expect(keptBy('safest')).toEqual([])
  expect(isKept('safest', { status: 'valid', subStatus: '', safeToSend: true })).toBe(true)
  expect(keptReasons('safest')).toEqual([''])
})

test('balanced keeps valid results, catch-all domains and unverifiable providers', () => {
  expect(keptBy('balanced')).toEqual(['', 'catch_all', 'provider_unverifiable'])
  expect(keptReasons('balanced')).toEqual(keptBy('balanced'))
})

test('all_but_bounces keeps everything except invalid results', () => {
  const expected = EVERY.filter(({ status }) => status !== 'invalid').map(({ subStatus }) => subStatus)
  expect(keptBy('all_but_bounces')).toEqual(expected)
})

test('each preset keeps what the stricter one keeps, and none keeps a row without an address', () => {
  const [safest, balanced, most] = PRESET_NAMES.map((name) => new Set(keptReasons(name)))
  expect([...(safest ?? [])].every((reason) => balanced?.has(reason))).toBe(true)
  expect([...(balanced ?? [])].every((reason) => most?.has(reason))).toBe(true)
  for (const name of PRESET_NAMES) {
    expect(isKept(name, { status: '', subStatus: '', safeToSend: false })).toBe(false)
  }
})

test('every rule names an existing status and reason, and is listed in docs/cli.md with its reason', () => {
  const page = readFileSync(new URL('../../../../docs/cli.md', import.meta.url), 'utf8')
  for (const name of PRESET_NAMES) expect(page).toContain(`\`${name}\``)
  for (const { status, because, ...rest } of Object.values(PRESETS).flat()) {
    expect(STATUSES).toHaveProperty(status)
    if ('reason' in rest) expect(SUB_STATUSES).toHaveProperty(rest.reason)
    expect(page).toContain(because)
  }
})

test('invalid results have the highest bounce ranges, and every range is ordered', () => {
  const ranges = Object.entries(SUB_STATUSES).map(([reason, { status }]) => ({
    status,
    ...BOUNCE_RANGES[reason as keyof typeof BOUNCE_RANGES],
  }))
  for (const { low, high } of ranges) expect(low >= 0 && low <= high && high <= 1).toBe(true)
  const lowest = Math.min(...ranges.filter(({ status }) => status === 'invalid').map(({ low }) => low))
  for (const { status, low } of ranges) if (status !== 'invalid') expect(low).toBeLessThan(lowest)
})

test('expectBounces weights the ranges by the number of addresses per reason', () => {
  const { low, high } = BOUNCE_RANGES.catch_all
  const valid = BOUNCE_RANGES['']
  expect(expectBounces([{ subStatus: 'catch_all', count: 7 }])).toEqual({ low, high })
  const mixed = expectBounces([
    { subStatus: 'catch_all', count: 25 },
    { subStatus: '', count: 75 },
  ])
  expect(mixed.low).toBeCloseTo(low * 0.25 + valid.low * 0.75, 4)
  expect(mixed.high).toBeCloseTo(high * 0.25 + valid.high * 0.75, 4)
  expect(expectBounces([])).toEqual({ low: 0, high: 0 })
  expect(expectBounces([{ subStatus: 'not_invented_yet', count: 1 }])).toEqual({ low: 0, high: 1 })
})

test('an override decides whether a result is kept, whatever its verdict, unless it is invalid', () => {
  const kind = { subStatus: '', safeToSend: true }
  for (const preset of PRESET_NAMES) {
    expect(isKept(preset, { ...kind, status: 'valid', override: 'block' })).toBe(false)
    expect(isKept(preset, { ...kind, status: 'unknown', safeToSend: false, override: 'allow' })).toBe(true)
    expect(isKept(preset, { ...kind, status: 'invalid', override: 'allow' })).toBe(false)
    expect(isKept(preset, { ...kind, status: 'valid', override: null })).toBe(true)
  }
})

test('docs/jobs.md lists the reasons of unknown that last, and no other', () => {
  const page = readFileSync(new URL('../../../../docs/jobs.md', import.meta.url), 'utf8')
  const [, rows = ''] = /\n\| `sub_status` \| such addresses are \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(page) ?? []
  const lasting = Object.keys(SUB_STATUSES).flatMap((reason) => {
    const why = lastingReason(reason)
    return why === undefined ? [] : [`| \`${reason}\` | ${why} |`]
  })
  expect(rows.trim().split('\n')).toEqual(lasting)
})

test('a reason that this version does not know can change', () => {
  expect(lastingReason('not_invented_yet')).toBeUndefined()
  expect(lastingReason('timeout')).toBeUndefined()
})
