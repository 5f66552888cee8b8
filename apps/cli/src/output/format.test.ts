import { expect, test } from 'vitest'
import {
  countOf,
  formatCount,
  formatPairs,
  formatRate,
  formatShare,
  formatSize,
  formatTable,
  readable,
} from './format.ts'

test('numbers have thousands separators and units', () => {
  expect(formatCount(1_234_567)).toBe('1,234,567')
  expect(countOf(1, 'credit')).toBe('1 credit')
  expect(countOf(2_000, 'credit')).toBe('2,000 credits')
  expect(formatRate(3.14)).toBe('3.1/s')
  expect(formatRate(45.6)).toBe('46/s')
  expect([formatSize(512), formatSize(2_048), formatSize(52_428_800)]).toEqual(['512 B', '2 KiB', '50 MiB'])
})

test('formatShare rounds down', () => {
  expect(formatShare(0.9999)).toBe('99 %')
  expect(formatShare(1)).toBe('100 %')
})

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
