import { expect, test } from 'vitest'
import { typeHangul } from './hangul-keys.ts'

test.each([
  ['김민수', 'rlaalstn'],
  ['한글', 'gksrmf'],
  ['꽃', 'rhc'],
  ['값', 'rkqt'],
  ['Kim', ''],
])('types %s as %j', (name, keys) => {
  expect(typeHangul(name)).toBe(keys)
})
