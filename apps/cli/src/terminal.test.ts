import { expect, test } from 'vitest'
import { hasColours } from './terminal.ts'

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
])('with %j and a terminal: %s, colours: %s', (env, isTerminal, expected) => {
  expect(hasColours(env, isTerminal)).toBe(expected)
})
