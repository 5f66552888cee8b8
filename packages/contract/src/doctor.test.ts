import { expect, test } from 'vitest'
import { describeFinding, isDoctorCheck, worstFirst } from './doctor.ts'

test('the worst stands first, and among equals the order is always the same', () => {
  const finding = (check: 'port-25' | 'upload' | 'clock', status: 'fail' | 'warn' | 'unknown' | 'pass', subject = '') =>
    describeFinding({ check, subject, status, saw: '', fix: null })
  const sorted = worstFirst([
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

test('a finding is read with its title, why it matters and where to read on', () => {
  expect(describeFinding({ check: 'clock', subject: '', status: 'pass', saw: 'So.', fix: null })).toMatchObject({
    id: 'clock',
    group: 'platform',
    title: 'The clock is right',
    docs: '/docs/doctor#clock',
  })
  expect([isDoctorCheck('clock'), isDoctorCheck('toString')]).toEqual([true, false])
})
