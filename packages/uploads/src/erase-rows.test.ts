import { createReadStream, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { ENCODINGS, type Encoding, readRows, type Writing } from './csv.ts'
import { eraseInFile, findInFile } from './erase-rows.ts'
import { ERASED_CELL } from './read-cell.ts'

const folder = makeFolder('probity-erase-rows')
whenDone(() => removeFolder(folder))
const [from, to] = [join(folder, 'from'), join(folder, 'to')]

const EMAIL = 'Ada@Example.com'

async function erase(content: string | Buffer, writing: Partial<Writing> = {}) {
  writeFileSync(from, content)
  const layout: Writing = { encoding: 'utf-8', delimiter: ',', headerRow: 1, ...writing }
  const search = { writing: layout, email: EMAIL }
  const isFound = await findInFile(from, search)
  const changed = await eraseInFile(from, to, { ...search, column: 1 })
  expect(isFound).toBe(changed > 0)
  if (changed === 0) return { changed, rows: [] }
  expect(await findInFile(to, search)).toBe(false)
  return { changed, rows: await rowsOf(to, layout) }
}

async function rowsOf(path: string, writing: Writing) {
  const rows: [number, ...string[]][] = []
  for await (const page of readRows(() => createReadStream(path), writing)) {
    rows.push(...page.map(({ row, cells }): [number, ...string[]] => [row, ...cells]))
  }
  return rows
}

test('eraseInFile removes all cells of rows with the address in the email column', async () => {
  const { changed, rows } = await erase(
    'name,email,note\nAda,ADA@example.com,x\nBo,bo@example.com,"5"" disk, red"\nCy,Ada L. <ada@example.com>,y\n',
  )
  expect(changed).toBe(2)
  expect(rows).toEqual([
    [1, 'name', 'email', 'note'],
    [2, '', ERASED_CELL, ''],
    [3, 'Bo', 'bo@example.com', '5" disk, red'],
    [4, '', ERASED_CELL, ''],
  ])
})

test('eraseInFile removes only the cell if the address is in another column', async () => {
  const { changed, rows } = await erase('name,email,manager\nBo,bo@example.com,see ada@example.com please\n')
  expect(changed).toBe(1)
  expect(rows[1]).toEqual([2, 'Bo', 'bo@example.com', ERASED_CELL])
})

test('eraseInFile keeps the numbers of rows after empty lines and line breaks in cells', async () => {
  const content =
    'name,email\r\n\r\n\r\n"A\r\nda",ada@example.com\r\n,\r\n\r\n"B\rb",bo@example.com\r\nCy,cy@example.com'
  writeFileSync(from, content)
  const before = await rowsOf(from, { encoding: 'utf-8', delimiter: ',', headerRow: 1 })
  const { rows } = await erase(content)
  expect(rows.map(([row]) => row)).toEqual(before.map(([row]) => row))
  expect(rows.slice(2)).toEqual(before.slice(2))
})

test('eraseInFile does not change a file without the address', async () => {
  const content = 'name,email\nAda,bada@example.com\nBo,ada@example.com.au\nada,ada@example.org\n'
  expect((await erase(content)).changed).toBe(0)
})

function encode(text: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(`\uFEFF${text}`)
  if (encoding === 'windows-1252') return Buffer.from(text.replace('€', '\x80'), 'latin1')
  const wide = Buffer.from(`\uFEFF${text}`, 'utf16le')
  return encoding === 'utf-16le' ? wide : wide.swap16()
}

test.each(ENCODINGS)('eraseInFile keeps the encoding %s', async (encoding) => {
  const text = 'name;email\nÄda;ada@example.com\nBö €;bo@example.com\n'
  const { rows } = await erase(encode(text, encoding), { encoding, delimiter: ';' })
  expect(rows).toEqual([
    [1, 'name', 'email'],
    [2, '', ERASED_CELL],
    [3, 'Bö €', 'bo@example.com'],
  ])
  if (encoding === 'utf-8') expect(readFileSync(to).subarray(0, 3)).toEqual(Buffer.from('\uFEFF'))
  if (encoding === 'utf-16be') expect(readFileSync(to).subarray(0, 2)).toEqual(Buffer.from([0xfe, 0xff]))
})

test('findInFile finds an address that lies across two pieces of the file', async () => {
  const filler = `${'x'.repeat(60)},${'y'.repeat(30)}@example.org\n`
  for (const shift of [0, 3, 7]) {
    const before = filler.repeat(Math.floor(65_536 / filler.length))
    const content = `${before}${'z'.repeat(65_536 - before.length - 8 + shift)},ada@example.com\n`
    writeFileSync(from, content)
    expect(await findInFile(from, { writing: { encoding: 'utf-8', delimiter: ',' }, email: EMAIL })).toBe(true)
  }
})

test('eraseInFile keeps the other addresses of a cell at their positions, and finds every spelling', async () => {
  const cells = [
    'bo@x.co; ada@example.com, cy@x.co',
    'ada (at) example.com',
    'ada\u200b@example.com',
    'ada＠example.com',
  ]
  const { rows, changed } = await erase(`name,email\n${cells.map((cell) => `Ann,"${cell}"`).join('\n')}\n`)
  expect(changed).toBe(4)
  expect(rows.slice(1)).toEqual([
    [2, '', `bo@x.co\n${ERASED_CELL}\ncy@x.co`],
    ...[3, 4, 5].map((row) => [row, '', ERASED_CELL]),
  ])
})
