import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { expect, test } from 'vitest'
import { type Layout, readAddresses, readColumn, readLayout } from './read-addresses.ts'
import { DEFAULT_CELL_OPTIONS } from './read-cell.ts'
import { readUpload } from './read-upload.ts'

const LAYOUT: Layout = { encoding: 'utf-8', delimiter: ',', headerRow: 1, column: 1, ...DEFAULT_CELL_OPTIONS }
const opening = (text: string | Buffer) =>
  async function* () {
    yield Buffer.from(text)
  }

async function addressesOf(text: string | Buffer, layout: Partial<Layout> = {}): Promise<[string, number][]> {
  const found: [string, number][] = []
  await readAddresses(opening(text), { ...LAYOUT, ...layout }, ({ email, row }) => void found.push([email, row]))
  return found
}

const LIST = 'name,email\n\nAda, ada@example.com \n,\nBo, \nCy,not one\n"D\nE",\u00a0d@example.com\t\nF\n'

test('readAddresses passes on each address with its spreadsheet row, and no text without an address', async () => {
  expect(await addressesOf(LIST)).toEqual([
    ['ada@example.com', 3],
    ['d@example.com', 7],
  ])
})

test('readAddresses passes on the address of a cell with a display name or mailto', async () => {
  const cells = [
    'Ada <ada@example.com>',
    '"Bo, B." <bo@example.com>',
    'mailto:cy@example.com?subject=x',
    'ada@example,com',
  ]
  const text = `email\n${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join('\n')}\n`
  expect(await addressesOf(text, { column: 0 })).toEqual([
    ['ada@example.com', 2],
    ['bo@example.com', 3],
    ['cy@example.com', 4],
    ['ada@example.com', 5],
  ])
})

test('rows above the header are not read', async () => {
  const text = 'Ask bo@example.com,bo@example.com\n , \nname,email\nAda,ada@example.com\n'
  expect(await addressesOf(text, { headerRow: 3 })).toEqual([['ada@example.com', 4]])
  expect(await addressesOf(text, { headerRow: null })).toEqual([
    ['bo@example.com', 1],
    ['ada@example.com', 4],
  ])
})

test('readAddresses passes on the values that the options choose, with their positions', async () => {
  const text = 'email\na@example.com; b.@example.com; c@example.com\nd.@example.com\n'
  const read = async (options: Partial<Layout>) => {
    const found: string[] = []
    const layout = { ...LAYOUT, column: 0, ...options }
    await readAddresses(opening(text), layout, ({ email, row, position }) => found.push(`${row}/${position} ${email}`))
    return found
  }
  expect(await read({})).toEqual(['2/0 a@example.com', '3/0 d.@example.com'])
  expect(await read({ several: 'all', malformed: 'skip' })).toEqual(['2/0 a@example.com', '2/2 c@example.com'])
  const all = ['2/0 a@example.com', '2/1 b.@example.com', '2/2 c@example.com', '3/0 d.@example.com']
  expect(await read({ several: 'all' })).toEqual(all)
})

test.each([
  ['utf-16le', Buffer.from('\uFEFFname;email\nJörg;jörg@example.com', 'utf16le')],
  ['windows-1252', Buffer.from('name;email\nJörg;jörg@example.com', 'latin1')],
] as const)('a file in %s is read', async (encoding, bytes) => {
  expect(await addressesOf(bytes, { encoding, delimiter: ';' })).toEqual([['jörg@example.com', 2]])
})

test('a column that no row has contains no addresses', async () => {
  expect(await addressesOf(LIST, { column: 7 })).toEqual([])
})

test('readAddresses reads no further than the consumer, and stops when the consumer fails', async () => {
  let pieces = 0
  async function* endless() {
    for (; pieces < 10_000; pieces++) yield Buffer.from('Ada,ada@example.com\n'.repeat(1_000))
  }
  let taken = 0
  const reading = readAddresses(endless, LAYOUT, () => {
    taken++
    if (taken === 2_500) throw new Error('no room')
  })
  await expect(reading).rejects.toThrow('no room')
  expect(pieces).toBeLessThan(5)
})

const SPELLINGS = [
  'Ada@EXAMPLE.com',
  ' ada@example.com',
  'ada+1@example.com',
  'jo@bücher.example',
  'jo@xn--bcher-kva.example',
  'n/a',
  'Ada <ada@EXAMPLE.com>',
  'mailto:ada%2B1@example.com',
  `${'x'.repeat(1_500)}@y`,
  ` ${'x'.repeat(1_500)}@y`,
]

test('a job has as many addresses and unique addresses as its preview counted', async () => {
  const open = opening(`email,other\n${SPELLINGS.map((spelling) => `${spelling},x@example.com`).join('\n')}\n`)
  const { suggestion, uniqueCount, ...writing } = await readUpload(open, { emailsMax: 100 })
  const layout = readLayout({ ...writing, column: 0 })
  expect(suggestion.index).toBe(1)
  const keys: string[] = []
  await readAddresses(open, layout, ({ email, key }) => {
    expect(key).toBe(dedupeKey(email))
    keys.push(key)
  })
  expect(await readColumn(open, layout, 9)).toEqual({
    ...{ column: 0, ...DEFAULT_CELL_OPTIONS },
    emailCount: keys.length,
    uniqueCount: new Set(keys).size,
    wrappedCount: 2,
    textCount: 1,
    textExamples: [{ row: 7, text: 'n/a' }],
    ...{ extraCount: 0, leftOutCount: 0, malformedCount: 2, suggestionCount: 0 },
    ...{ repairedCount: 0, repairedExamples: [] },
    providers: [{ provider: '', count: 4 }],
  })
  expect([keys.length, new Set(keys).size]).toEqual([9, 4])
  expect(await readColumn(open, { ...layout, column: 1 }, 10)).toMatchObject({ emailCount: 10, uniqueCount })
})

test('readColumn stops at the first address above the limit and names its row', async () => {
  const counting = readColumn(opening(LIST), LAYOUT, 1)
  await expect(counting).rejects.toMatchObject({ code: 'too_many_emails', message: expect.stringContaining('Row 7 ') })
})

test('an unknown layout is rejected', () => {
  expect(readLayout({ ...LAYOUT, encoding: 'windows-1252', delimiter: '\t' })).toMatchObject({ delimiter: '\t' })
  expect(() => readLayout({ ...LAYOUT, encoding: 'ebcdic' })).toThrow('unexpected file format')
  expect(() => readLayout({ ...LAYOUT, delimiter: ':' })).toThrow('unexpected file format')
})
