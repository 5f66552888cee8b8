/** @module-tag timed */

import { writeTestWorkbook } from '@probity/uploads/test-workbook'
import { expect, test } from 'vitest'
import { startTestApi, type TestClient } from '../../testing/test-api.ts'

const api = await startTestApi()
/** A thousand sheets with one cell each, in their last row. */
const sheets = Array.from({ length: 1_000 }, (_, n) => ({
  name: `Sheet ${n}`,
  xml: '<worksheet><sheetData><row r="1048576"><c t="str"><v>x</v></c></row></sheetData></worksheet>',
}))
/** Sheets of empty elements. One text cannot have 600 MB. */
function emptyElements(megabytes: number, sheetCount: number) {
  const elements = '<x/>'.repeat((megabytes * 1_000_000) / sheetCount / 4)
  const xml = `<worksheet><sheetData>${elements}</sheetData></worksheet>`
  return { sheets: Array.from({ length: sheetCount }, (_, n) => ({ name: `Sheet ${n}`, xml })) }
}
const brackets = {
  formats: ['['.repeat(60_000)],
  sheets: [{ name: 'Sheet', rows: [['email'], ['ada@example.com']] }],
}
const WORKBOOKS = {
  'a thousand sheets': await writeTestWorkbook({ sheets }),
  '600 MB of XML': await writeTestWorkbook(emptyElements(600, 2)),
  'a format code of 60,000 brackets': await writeTestWorkbook(brackets),
}
/** As much as a small workbook may unpack to. Reading it takes seconds, for which accounts without credits may wait. */
const LARGEST = { '64 MB of XML': await writeTestWorkbook(emptyElements(64, 1)) }

function formOf(content: Buffer<ArrayBuffer> | string): FormData {
  const form = new FormData()
  form.append('file', new Blob([content]), 'list')
  return form
}

async function upload({ call }: TestClient, content: Buffer<ArrayBuffer> | string) {
  const payload = formOf(content)
  const { body, status } = await call({ method: 'POST', url: '/api/v1/bulk/upload/preview', payload })
  if (status === 200) await call({ method: 'DELETE', url: `/api/v1/bulk/uploads/${body['upload_id']}` })
  return status
}

const UPLOADS = 5

/** Median of five uploads of a small CSV. */
async function measure(client: TestClient): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < UPLOADS; n++) {
    const began = performance.now()
    expect(await upload(client, `email\nada${n}@example.com\n`)).toBe(200)
    times.push(performance.now() - began)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(UPLOADS / 2)] ?? Number.POSITIVE_INFINITY
}

const ATTACKERS = 4
const LONGEST_MS = 2_000

test.each([
  ['with credits', 100, { ...WORKBOOKS, ...LARGEST }],
  ['without credits', 0, WORKBOOKS],
])('hostile workbooks of others do not delay the uploads of an account %s', async (_, credits, workbooks) => {
  const client = await api.openCaller({ credits })
  await measure(client)
  const alone = await measure(client)
  for (const [name, workbook] of Object.entries(workbooks)) {
    const attackers = await Promise.all(Array.from({ length: ATTACKERS }, () => api.openCaller()))
    let isOver = false
    const attacks = attackers.map(async (attacker) => {
      while (!isOver) await upload(attacker, workbook)
    })
    const beside = await measure(client)
    isOver = true
    await Promise.all(attacks)
    expect(beside, name).toBeLessThan(Math.max(alone * 3, LONGEST_MS))
  }
})
