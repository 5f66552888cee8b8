import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { filterSheet } from './filter-sheet.ts'

const HEAD = '"email","note","probity_status","probity_sub_status","probity_safe_to_send"'

async function* inPieces(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

async function filter(lines: string[], size = 1_000) {
  const counted = { kept: 0, left: 0 }
  let text = ''
  for await (const line of filterSheet(inPieces(`${lines.join('\r\n')}\r\n`, size), 'safest', counted)) text += line
  return { text, ...counted }
}

test.each([1, 7, 1_000])('rows come through as they are, however they arrive (pieces of %i bytes)', async (size) => {
  const kept = [
    '"ä@example.com","漢字 ""in quotes"", and\r\na second line","valid","","true"',
    '"b","","valid","","true"',
  ]
  const left = '"c@example.com","","invalid","syntax_error","false"'
  const filtered = await filter([HEAD, kept[0] ?? '', left, kept[1] ?? ''], size)
  expect(filtered).toEqual({ text: [HEAD, ...kept, ''].join('\r\n'), kept: 2, left: 1 })
})

test('an export that was sent in again is judged by its new columns and not by its old ones', async () => {
  const head =
    '"email","probity_status","probity_safe_to_send","probity_status_2","probity_sub_status","probity_safe_to_send_2"'
  const rows = ['"a","valid","true","invalid","mailbox_not_found","false"', '"b","invalid","false","valid","","true"']
  expect((await filter([head, ...rows])).text).toBe([head, rows[1], ''].join('\r\n'))
})

test('the delimiter is that of the file', async () => {
  const semicolons = (line: string) => line.replaceAll('","', '";"')
  const lines = [HEAD, '"a","x, y","valid","","true"'].map(semicolons)
  expect(await filter(lines)).toEqual({ text: [...lines, ''].join('\r\n'), kept: 1, left: 0 })
})

test('a sheet that breaks off is an error, and not a short sheet', async () => {
  async function* broken() {
    yield Buffer.from(`${HEAD}\r\n"a","","valid","","true"\r\n"b","`)
    throw new Error('broken off')
  }
  const rows = filterSheet(broken(), 'safest', { kept: 0, left: 0 })
  await expect(Readable.from(rows).toArray()).rejects.toThrow('broken off')
})

test('what is on a list of the account goes by that', async () => {
  const head = `${HEAD},"probity_override"`
  const rows = [
    '"a","","valid","","true","block"',
    '"b","","unknown","timeout","true","allow"',
    '"c","","valid","","true",""',
  ]
  expect(await filter([head, ...rows])).toMatchObject({ text: [head, rows[1], rows[2], ''].join('\r\n'), left: 1 })
})
