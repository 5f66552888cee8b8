import { expect, test } from 'vitest'
import { hasColors } from './terminal.ts'

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
])('hasColors with %j and terminal %s is %s', (env, isTerminal, expected) => {
  expect(hasColors(env, isTerminal)).toBe(expected)
})
