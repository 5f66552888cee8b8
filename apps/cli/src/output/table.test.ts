import { expect, test } from 'vitest'
import { readable } from './readable.ts'
import { formatPairs, formatTable } from './table.ts'

test('formatTable and formatPairs align columns without trailing spaces', () => {
  expect(
    formatTable(
      ['a', 'long head', 'c'],
      [
        ['wide cell', 'b', ''],
        ['x', 'y', 'z'],
      ],
    ),
  ).toBe('a          long head  c\nwide cell  b\nx          y          z\n')
  expect(
    formatPairs([
      ['a', '1'],
      ['longer', '2'],
    ]),
  ).toBe('a       1\nlonger  2\n')
})

test('formatTable ignores color codes in widths', () => {
  const table = formatTable(['s', 'x'], [['ok', '1']], (text, column) =>
    column === 0 ? `\u001b[32m${text}\u001b[39m` : text,
  )
  expect(table).toBe('s   x\n\u001b[32mok\u001b[39m  1\n')
})

test('readable replaces control characters and keeps other scripts', () => {
  expect(readable('a\u001b[2Jb\u0007c\u009bd\u202ee\nf')).toBe('a�[2Jb�c�d�e�f')
  expect(readable('grün é 漢字')).toBe('grün é 漢字')
})
