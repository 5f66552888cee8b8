import { setTimeout as sleep } from 'node:timers/promises'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { expect, test } from 'vitest'
import { countEmails } from './count-emails.ts'
import { type Layout, readAddresses, readLayout } from './read-addresses.ts'
import { readUpload } from './read-upload.ts'

const LAYOUT: Layout = { encoding: 'utf-8', delimiter: ',', hasHeader: true, column: 1 }
const opening = (text: string | Buffer) =>
  async function* () {
    yield Buffer.from(text)
  }

async function addressesOf(text: string | Buffer, layout: Partial<Layout> = {}): Promise<[string, number][]> {
  const found: [string, number][] = []
  await readAddresses(opening(text), { ...LAYOUT, ...layout }, (email, row) => void found.push([email, row]))
  return found
}

const LIST = 'name,email\n\nAda, ada@example.com \n,\nBo, \nCy,not one\n"D\nE",\u00a0d@example.com\t\nF\n'

test('hands on every email with the row that a spreadsheet shows, without the white space around it', async () => {
  expect(await addressesOf(LIST)).toEqual([
    ['ada@example.com', 3],
    ['not one', 6],
    ['d@example.com', 7],
  ])
})

test('the first row that is none of blanks is the header, if there is one', async () => {
  const text = '\n , \nname,email\nAda,ada@example.com\n'
  expect(await addressesOf(text)).toEqual([['ada@example.com', 4]])
  expect(await addressesOf(text, { hasHeader: false })).toEqual([
    ['email', 3],
    ['ada@example.com', 4],
  ])
})

test.each([
  ['utf-16le', Buffer.from('\uFEFFname;email\nJörg;jörg@example.com', 'utf16le')],
  ['windows-1252', Buffer.from('name;email\nJörg;jörg@example.com', 'latin1')],
] as const)('reads what is written in %s', async (encoding, bytes) => {
  expect(await addressesOf(bytes, { encoding, delimiter: ';' })).toEqual([['jörg@example.com', 2]])
})

test('a column that no row has holds nothing', async () => {
  expect(await addressesOf(LIST, { column: 7 })).toEqual([])
})

test('reads no further than is taken, and stops where taking fails', async () => {
  let pieces = 0
  async function* endless() {
    for (; pieces < 10_000; pieces++) yield Buffer.from('Ada,ada@example.com\n'.repeat(1_000))
  }
  let taken = 0
  const reading = readAddresses(endless, LAYOUT, async () => {
    await sleep(0)
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
  'N/A ',
  `${'x'.repeat(1_500)}@y`,
  ` ${'x'.repeat(1_500)}@y`,
]

test('a job has as many emails, and as many different ones, as its preview counted', async () => {
  const open = opening(`email,other\n${SPELLINGS.map((spelling) => `${spelling},x@example.com`).join('\n')}\n`)
  const { suggestion, counts, uniqueCount, ...writing } = await readUpload(open, 100)
  const layout = readLayout({ ...writing, column: 0 })
  expect(suggestion.index).toBe(1)
  const keys: string[] = []
  await readAddresses(open, layout, (email) => void keys.push(dedupeKey(email)))
  const emailCount = counts[0]?.filled
  expect(await countEmails(open, layout, { emailsMax: 9 })).toEqual({ emailCount, uniqueCount: new Set(keys).size })
  expect([emailCount, new Set(keys).size]).toEqual([9, 5])
  expect(await countEmails(open, { ...layout, column: 1 }, { emailsMax: 9 })).toEqual({ emailCount: 9, uniqueCount })
})

test('counting ends at the first email that is too many, and names its row', async () => {
  const counting = countEmails(opening(LIST), LAYOUT, { emailsMax: 2 })
  await expect(counting).rejects.toMatchObject({ code: 'too_many_emails', message: expect.stringContaining('Row 7 ') })
})

test('a layout in words that we do not know is refused', () => {
  expect(readLayout({ ...LAYOUT, encoding: 'windows-1252', delimiter: '\t' })).toMatchObject({ delimiter: '\t' })
  expect(() => readLayout({ ...LAYOUT, encoding: 'ebcdic' })).toThrow('no file is written like this')
  expect(() => readLayout({ ...LAYOUT, delimiter: ':' })).toThrow('no file is written like this')
})
