import { createReadStream, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resultNoOf } from '@probity/contract/constants/jobs'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { type Layout, readAddresses } from './read-addresses.ts'
import { DEFAULT_CELL_OPTIONS } from './read-cell.ts'
import { selectRows } from './select-rows.ts'

const folder = makeFolder('probity-select-rows')
whenDone(() => removeFolder(folder))
const [from, to] = [join(folder, 'from'), join(folder, 'to')]

const LAYOUT: Layout = { encoding: 'utf-8', delimiter: ',', headerRow: 1, column: 1, ...DEFAULT_CELL_OPTIONS }

async function select(content: string | Buffer, rows: number[], layout: Partial<Layout> = {}) {
  const resultNos = rows.map((row) => resultNoOf(row, 0))
  writeFileSync(from, content)
  const counts = await selectRows(from, to, { layout: { ...LAYOUT, ...layout }, resultNos })
  return { counts, text: readFileSync(to, 'utf8') }
}

test('selectRows keeps the header, the rows and their repetitions', async () => {
  const { counts, text } = await select(
    'name,email\nAda,ada@example.com\n\nBo,bo@example.com\nCy,"Ada L. <ADA@example.com>"\nDi,soon\nEd,ed@example.com\n',
    [2, 7],
  )
  expect(text).toBe('"name","email"\n"Ada","ada@example.com"\n"Cy","Ada L. <ADA@example.com>"\n"Ed","ed@example.com"\n')
  expect(counts).toEqual({ rowCount: 3, uniqueCount: 2, sizeBytes: Buffer.byteLength(text) })
})

test('selectRows ignores a row that has no address any longer', async () => {
  const { counts } = await select('name,email\nAda,erased\nBo,bo@example.com\n', [2])
  expect(counts).toMatchObject({ rowCount: 0, uniqueCount: 0 })
})

test('selectRows writes UTF-8 with the delimiter of the file, and cells as they were', async () => {
  const content = Buffer.from('Zo\xeb;zo@example.com;"a;b\n""c"""\n', 'latin1')
  const { text } = await select(content, [1], { encoding: 'windows-1252', delimiter: ';', headerRow: null })
  expect(text).toBe('"Zoë";"zo@example.com";"a;b\n""c"""\n')
})

test('a selection has as many addresses as it counts', async () => {
  const emails = Array.from({ length: 2_000 }, (_, n) => `person${n % 1_500}@example.com`)
  const content = `name,email\n${emails.map((email, n) => `${n},${email}`).join('\n')}\n`
  const rowNos = Array.from({ length: 750 }, (_, n) => 2 * n + 2)
  const { counts } = await select(content, rowNos)
  const keys = new Set<string>()
  let rows = 0
  await readAddresses(
    () => createReadStream(to),
    LAYOUT,
    ({ key }) => {
      rows++
      keys.add(key)
    },
  )
  expect(counts).toMatchObject({ rowCount: rows, uniqueCount: keys.size })
  expect([rows, keys.size]).toEqual([1_000, 750])
})
