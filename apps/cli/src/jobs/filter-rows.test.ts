import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { filterRows } from './filter-rows.ts'

const HEAD = '"email","note","probity_status","probity_sub_status","probity_safe_to_send"'

async function* inChunks(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

async function filter(lines: string[], size = 1_000) {
  const counts = { kept: 0, dropped: 0 }
  let text = ''
  for await (const { line } of filterRows(inChunks(`${lines.join('\r\n')}\r\n`, size), 'safest', counts)) text += line
  return { text, ...counts }
}

test.each([1, 7, 1_000])('filterRows keeps rows unchanged in chunks of %i bytes', async (size) => {
  const kept = [
    '"ä@example.com","漢字 ""in quotes"", and\r\na second line","valid","","true"',
    '"b","","valid","","true"',
  ]
  const dropped = '"c@example.com","","invalid","syntax_error","false"'
  const filtered = await filter([HEAD, kept[0] ?? '', dropped, kept[1] ?? ''], size)
  expect(filtered).toEqual({ text: [HEAD, ...kept, ''].join('\r\n'), kept: 2, dropped: 1 })
})

test('filterRows uses the last columns of an export that was uploaded again', async () => {
  const head =
    '"email","probity_status","probity_safe_to_send","probity_status_2","probity_sub_status","probity_safe_to_send_2"'
  const rows = ['"a","valid","true","invalid","mailbox_not_found","false"', '"b","invalid","false","valid","","true"']
  expect((await filter([head, ...rows])).text).toBe([head, rows[1], ''].join('\r\n'))
})

test('filterRows detects the delimiter', async () => {
  const semicolons = (line: string) => line.replaceAll('","', '";"')
  const lines = [HEAD, '"a","x, y","valid","","true"'].map(semicolons)
  expect(await filter(lines)).toEqual({ text: [...lines, ''].join('\r\n'), kept: 1, dropped: 0 })
})

test('filterRows throws if the download fails', async () => {
  async function* broken() {
    yield Buffer.from(`${HEAD}\r\n"a","","valid","","true"\r\n"b","`)
    throw new Error('connection lost')
  }
  const rows = filterRows(broken(), 'safest', { kept: 0, dropped: 0 })
  await expect(Readable.from(rows).toArray()).rejects.toThrow('connection lost')
})

test('filterRows applies overrides', async () => {
  const head = `${HEAD},"probity_override"`
  const rows = [
    '"a","","valid","","true","block"',
    '"b","","unknown","timeout","true","allow"',
    '"c","","valid","","true",""',
  ]
  expect(await filter([head, ...rows])).toMatchObject({ text: [head, rows[1], rows[2], ''].join('\r\n'), dropped: 1 })
})

test('filterRows decides about each address of a row that is repeated', async () => {
  const head = '"email","probity_status","probity_sub_status","probity_safe_to_send","probity_row","probity_email"'
  const cell = '"a@example.com, b@example.com"'
  const rows = [
    `${cell},"valid","","true","2","a@example.com"`,
    `${cell},"invalid","mailbox_not_found","false","2","b@example.com"`,
    '"n/a","","","","3",""',
  ]
  expect(await filter([head, ...rows])).toEqual({ text: [head, rows[0], ''].join('\r\n'), kept: 1, dropped: 2 })
})
