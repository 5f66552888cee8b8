import { createReadStream, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { correctInFile, readNonAddresses, readPage, readSuggestions } from './correct-cells.ts'
import type { Layout } from './read-addresses.ts'
import { DEFAULT_CELL_OPTIONS } from './read-cell.ts'

const folder = makeFolder('probity-correct-cells')
whenDone(() => removeFolder(folder))
const [from, to] = [join(folder, 'from'), join(folder, 'to')]

const LAYOUT: Layout = { encoding: 'utf-8', delimiter: ',', headerRow: 1, column: 0, ...DEFAULT_CELL_OPTIONS }
const CELLS = [
  'Ada <ada@gmial.com>',
  'bo@gmail.com',
  'cy@gmial.com; di@example.com; ed@hotmial.com',
  'flo @ gmial.com',
  'no address',
  'gus.@example.com',
]
writeFileSync(from, `email\n${CELLS.map((cell) => `"${cell}"`).join('\n')}\n`)
const open = () => createReadStream(from)
const PAGE = { skip: 0, limit: 10 }

test('suggestions replace the domain and keep the rest of the cell', async () => {
  expect(await readPage(readSuggestions(open, LAYOUT), PAGE)).toEqual({
    values: [
      { row: 2, value: CELLS[0], suggestion: 'Ada <ada@gmail.com>' },
      { row: 4, value: CELLS[2], suggestion: 'cy@gmail.com; di@example.com; ed@hotmail.com' },
      { row: 5, value: CELLS[3], suggestion: 'flo@gmail.com' },
    ],
    total: 3,
  })
  expect((await readPage(readSuggestions(open, LAYOUT), { skip: 1, limit: 1 })).values).toMatchObject([{ row: 4 }])
})

test('accepted suggestions are written, except for corrected rows', async () => {
  const corrections = [{ row: 2, value: 'ada@example.com' }]
  expect(await correctInFile(from, to, { layout: LAYOUT, corrections, acceptsSuggestions: true })).toBe(3)
  expect(readFileSync(to, 'utf8').split('\n').slice(1, 5)).toEqual([
    '"ada@example.com"',
    '"bo@gmail.com"',
    '"cy@gmail.com; di@example.com; ed@hotmail.com"',
    '"flo@gmail.com"',
  ])
  expect(await correctInFile(from, to, { layout: LAYOUT, corrections, acceptsSuggestions: false })).toBe(1)
})

test('values that are not addresses are those that no repair can correct', async () => {
  expect((await readPage(readNonAddresses(open, LAYOUT), PAGE)).values).toEqual([
    { row: 6, value: 'no address', reason: 'no_address' },
    { row: 7, value: 'gus.@example.com', reason: 'syntax_error' },
  ])
})
