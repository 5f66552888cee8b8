import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { expect, test } from 'vitest'
import { type CellOptions, type CellValue, chooseValues, keyOfValue, readCell } from './read-cell.ts'

/** The values as short texts: an address as it is, a repaired one with `+`, a malformed value with `!`. */
function read(cell: string): string[] {
  return readCell(cell).map(show)
}

function show(value: CellValue): string {
  if (value.kind === 'erased') return 'erased'
  if (value.kind === 'malformed') return `!${value.email}`
  return `${value.isRepaired ? '+' : ''}${value.email}`
}

test.each([
  ['ada@example.com', 'ada@example.com'],
  [' ADA@example.com\t', 'ADA@example.com'],
  ['"a b"@example.com', '"a b"@example.com'],
  ['Ada <ada@example.com>', 'ada@example.com'],
  ['mailto:ada%40example.com', 'ada@example.com'],
  ['ada @ example.com', '+ada@example.com'],
  ['ada(at)example.com', '+ada@example.com'],
  ['ada@gmail,com', '+ada@gmail.com'],
  ['ada@@example.com', '+ada@example.com'],
  ['ada\u200b@example.com', '+ada@example.com'],
  ['ａｄａ＠example.com', '+ada@example.com'],
  ['ada lovelace@example.com', '!ada lovelace@example.com'],
  ['ada,lovelace@example.com', '!ada,lovelace@example.com'],
  ['ada.@example.com', '!ada.@example.com'],
  [`${'x'.repeat(1_500)}@y`, `!${'x'.repeat(1_500)}@y`],
  ['erased', 'erased'],
])('readCell reads one value in %j', (cell, value) => {
  expect(read(cell)).toEqual([value])
})

test.each([
  ['ada@example.com; bo@example.com', ['ada@example.com', 'bo@example.com']],
  ['ada@example.com,bo@example.com', ['ada@example.com', 'bo@example.com']],
  ['Ada <ada@example.com>, Bo <bo @ example.com>', ['ada@example.com', '+bo@example.com']],
  ['ada@example.com / bo@example.com', ['ada@example.com', 'bo@example.com']],
  ['ada@example.com bo@example.com', ['ada@example.com', 'bo@example.com']],
  ['ada@example.com or bo@example.com', ['ada@example.com', 'bo@example.com']],
  ['ada@example.com\nbo(at)example.com', ['ada@example.com', '+bo@example.com']],
  ['ada@example.com; bo.@example.com', ['ada@example.com', '!bo.@example.com']],
  ['bo.@example.com; ada@example.com', ['!bo.@example.com', 'ada@example.com']],
  ['erased\nbo@example.com', ['erased', 'bo@example.com']],
  ['private, ada@example.com', ['ada@example.com']],
  [Array.from({ length: 300 }, (_, n) => `a${n}@b.co`).join(), Array.from({ length: 300 }, (_, n) => `a${n}@b.co`)],
])('readCell reads all values in %j', (cell, values) => {
  expect(read(cell)).toEqual(values)
})

test.each(['n/a', '@ada', 'ada@', 'lunch @ noon', 'https://example.com/@ada', '100%40', '@'.repeat(4_000), '(at)'])(
  'readCell finds no value in %j',
  (cell) => {
    expect(read(cell)).toEqual([])
  },
)

test('values with the same key are the same address', () => {
  for (const cell of ['Ada <ADA@example.com>', 'ada.@example.com', 'ada @ EXAMPLE.com']) {
    const [value] = readCell(cell)
    expect(value && value.kind !== 'erased' && keyOfValue(value)).toBe(
      dedupeKey(value && value.kind !== 'erased' ? value.email : ''),
    )
  }
})

test.each<[string, CellOptions['several'], CellOptions['malformed'], string[], string[]]>([
  ['a@b.co; c@d.co', 'first', 'validate', ['0 a@b.co'], ['1 another_address']],
  ['a@b.co; c@d.co', 'all', 'validate', ['0 a@b.co', '1 c@d.co'], []],
  ['a.@b.co; c@d.co', 'first', 'validate', ['1 c@d.co'], ['0 another_address']],
  ['a.@b.co; c@d.co', 'all', 'skip', ['1 c@d.co'], ['0 malformed']],
  ['a.@b.co; c.@d.co', 'first', 'validate', ['0 a.@b.co'], ['1 another_address']],
  ['a.@b.co; c.@d.co', 'first', 'skip', [], ['0 malformed', '1 malformed']],
  ['a.@b.co; c.@d.co', 'all', 'validate', ['0 a.@b.co', '1 c.@d.co'], []],
  ['erased\nc@d.co', 'all', 'skip', ['1 c@d.co'], []],
])('of %j, %s and %s choose %j', (cell, several, malformed, validated, omitted) => {
  const { chosen, leftOut } = chooseValues(readCell(cell), { several, malformed })
  expect(chosen.map(({ position, email }) => `${position} ${email}`)).toEqual(validated)
  expect(leftOut.map(({ position, reason }) => `${position} ${reason}`)).toEqual(omitted)
})

test('readCell takes no longer for hostile cells than for the same amount of addresses', { tags: ['timed'] }, () => {
  const pieces = [
    'a@b,',
    'a@b, ',
    ';@',
    ' (@',
    '<@',
    '"@',
    '\\"@',
    '%40',
    'a@b ',
    '(',
    'a@b.',
    '(at)',
    ' @ ',
    '@,',
    '\u200b@',
  ]
  const began = performance.now()
  for (const piece of pieces) {
    const cell = `@${piece.repeat(4_000 / piece.length)}`
    for (let n = 0; n < 100; n++) readCell(cell)
  }
  expect(performance.now() - began).toBeLessThan(10_000)
})
