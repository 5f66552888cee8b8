import { expect, test } from 'vitest'
import { describeFinding, isDoctorCheck, sortBySeverity } from './operators.ts'

test('worstFirst sorts by status, then by check order and subject', () => {
  const finding = (check: 'port-25' | 'upload' | 'clock', status: 'fail' | 'warn' | 'unknown' | 'pass', subject = '') =>
    describeFinding({ check, subject, status, saw: '', fix: null })
  const sorted = sortBySeverity([
    finding('clock', 'pass'),
    finding('upload', 'fail'),
    finding('clock', 'unknown'),
    finding('clock', 'warn'),
    finding('port-25', 'fail', 'b'),
    finding('port-25', 'fail', 'a'),
  ])
  expect(sorted.map(({ id, status, subject }) => [id, status, subject])).toEqual([
    ['port-25', 'fail', 'a'],
    ['port-25', 'fail', 'b'],
    ['upload', 'fail', ''],
    ['clock', 'warn', ''],
    ['clock', 'unknown', ''],
    ['clock', 'pass', ''],
  ])
})

test('describeFinding adds title, reason and docs link', () => {
  expect(describeFinding({ check: 'clock', subject: '', status: 'pass', saw: 'So.', fix: null })).toMatchObject({
    id: 'clock',
    group: 'platform',
    title: 'The clock is correct',
    docs: '/docs/doctor#clock',
  })
  expect([isDoctorCheck('clock'), isDoctorCheck('toString')]).toEqual([true, false])
})
