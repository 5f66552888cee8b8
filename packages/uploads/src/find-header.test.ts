import { expect, test } from 'vitest'
import { findHeader } from './find-header.ts'

const row = (n: number, ...cells: string[]) => ({ row: n, cells })

test.each([
  ['the first row', [row(1, 'name', 'email'), row(2, 'Ada', 'ada@example.com')], 1],
  [
    'a row below a title',
    [row(1, 'Contacts export 2026', ''), row(3, 'Name', 'E-mail', 'City'), row(4, 'Ada', 'a@b.co')],
    3,
  ],
  [
    'a row below a title that names email',
    [row(1, 'Email contacts', ''), row(2, 'Name', 'E-Mail'), row(3, 'A', 'a@b.co')],
    2,
  ],
  [
    'a row below notes with two cells',
    [row(1, 'Exported', '2026-11-02'), row(2, 'Name', 'Email'), row(3, 'A', 'a@b.co')],
    2,
  ],
  [
    'the widest row if none names email',
    [row(1, 'Export', ''), row(2, 'Name', 'Kontakt', 'Ort'), row(3, 'A', 'a@b.co', 'C')],
    2,
  ],
  ['a row above rows without an address', [row(1, 'name', 'email'), row(2, 'Bo', 'n/a'), row(3, 'Ada', 'a@b.co')], 1],
  ['the header of one column', [row(1, 'Newsletter'), row(2, 'E-Mail'), row(3, 'a@b.co')], 2],
  ['the first row of one column without a name', [row(1, 'Newsletter'), row(2, 'n/a'), row(3, 'a@b.co')], 1],
  ['a row in a file without addresses', [row(1, 'name', 'email'), row(2, 'Bo', 'n/a')], 1],
])('findHeader finds %s', (_, rows, expected) => {
  expect(findHeader(rows)?.row).toBe(expected)
})

test('findHeader finds none if the first row has an address, even a malformed one', () => {
  expect(findHeader([row(1, 'Ada', 'a@b'), row(2, 'name', 'email')])).toBeUndefined()
  expect(findHeader([])).toBeUndefined()
})
