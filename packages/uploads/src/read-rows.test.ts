import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Row, readAllRows, readRows, type Writing } from './csv.ts'

const WRITING: Writing = { encoding: 'utf-8', delimiter: ',', headerRow: 1 }

async function rowsOf(text: string, writing: Partial<Writing> = {}): Promise<Row[]> {
  async function* open() {
    yield Buffer.from(text)
  }
  const rows: Row[] = []
  for await (const page of readRows(open, { ...WRITING, ...writing })) rows.push(...page)
  return rows
}

test('readRows yields all rows in order, with the header first and marked', async () => {
  expect(await rowsOf('name,email\n\n"A, B",\n , \nC,c@example.com,more')).toEqual([
    { row: 1, cells: ['name', 'email'], isHeader: true },
    { row: 3, cells: ['A, B', ''], isHeader: false },
    { row: 5, cells: ['C', 'c@example.com', 'more'], isHeader: false },
  ])
  expect((await rowsOf('a@example.com\nb', { headerRow: null })).map(({ isHeader }) => isHeader)).toEqual([
    false,
    false,
  ])
})

test('readAllRows also yields rows with white space only, but none above the header', async () => {
  async function* open() {
    yield Buffer.from(',\n\nname,email\n\n , \nA,a@example.com\n,\n')
  }
  const rows: Row[] = []
  for await (const page of readAllRows(open, { ...WRITING, headerRow: 3 })) rows.push(...page)
  expect(rows.map(({ row, isHeader }) => [row, isHeader])).toEqual([
    [3, true],
    [5, false],
    [6, false],
    [7, false],
  ])
})

test('a file without rows has no pages', async () => {
  expect(await rowsOf('\n,\n')).toEqual([])
})

/** Provides a file of many megabytes, and counts the chunks that were read. */
function largeFile(pieces: number) {
  const asked = { pieces: 0, closed: false }
  async function* open() {
    try {
      for (; asked.pieces < pieces; asked.pieces++) yield Buffer.from('Ada,ada@example.com\n'.repeat(3_000))
    } finally {
      asked.closed = true
    }
  }
  return { open, asked }
}

test('readRows reads no further than pages are consumed', async () => {
  const { open, asked } = largeFile(1_000)
  const pages = readRows(open, WRITING)
  const first = await pages.next()
  await sleep(20) // time in which data would be read ahead
  expect(first.value?.length).toBeLessThanOrEqual(1_000)
  expect(asked.pieces).toBeLessThanOrEqual(1)
  await pages.return(undefined)
  expect(asked.closed).toBe(true)
})

test('a page of rows has at most the size of one chunk and one row', async () => {
  const { open } = largeFile(100)
  let [rows, most] = [0, 0]
  for await (const page of readRows(open, WRITING)) {
    rows += page.length
    most = Math.max(
      most,
      page.map(({ cells }) => cells.join().length).reduce((sum, length) => sum + length, 0),
    )
  }
  expect(rows).toBe(300_000)
  expect(most).toBeLessThanOrEqual((16 + 64) * 1024)
})

test('readRows rejects an unreadable row and names it', async () => {
  await expect(rowsOf('a,b\n"never closed')).rejects.toMatchObject({ code: 'malformed_csv' })
})
