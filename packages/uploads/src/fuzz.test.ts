import { createReadStream, readdirSync } from 'node:fs'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CsvRecord, DELIMITERS, type Delimiter, readRecords } from './csv.ts'
import { openStorage } from './open-storage.ts'
import { readUpload } from './read-upload.ts'
import { Refusal } from './refusal.ts'

/** For each of the two properties; a longer search sets the variable. Gate 2 makes a quarter of the runs on arbitrary bytes. */
const RUNS = Number(process.env['UPLOADS_FUZZ_RUNS'] ?? 4_000)
const WITHIN_MS = 120_000 + RUNS * 60
const BYTE_RUNS = [
  { runs: RUNS / 4, tags: [] },
  { runs: RUNS, tags: ['long'] },
]
const CPU_MS_MAX = 1_000

const folder = makeFolder('probity-fuzz')
whenDone(() => removeFolder(folder))
const storage = openStorage({ kind: 'folder', folder })

/** Parts that cause problems for parsers: quotes, delimiters, line breaks, byte order marks, signatures, addresses. */
const PIECES = [
  ...[
    '"',
    '""',
    ',',
    ';',
    '\t',
    '|',
    '\n',
    '\r',
    '\r\n',
    ' ',
    '\\',
    '\0',
    '\uFEFF',
    '\u0085',
    '\u2028',
    '\u202E',
    '😀',
    'é',
  ],
  ...[
    'a@example.com',
    '"a b"@example.com',
    'a@[127.0.0.1]',
    '@',
    'email',
    '=1+1',
    '__proto__',
    '%PDF-',
    'PK\u0003\u0004',
  ],
]
const anyText = fc
  .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...PIECES) }, fc.string({ unit: 'binary' })), {
    maxLength: 60,
  })
  .map((pieces) => pieces.join(''))
const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  anyText.map((text) => Buffer.from(text)),
  anyText.map((text) => Buffer.from(`\uFEFF${text}`, 'utf16le')),
  anyText.map((text) => Buffer.from(text, 'latin1')),
  fc.tuple(anyText, fc.integer({ min: 1, max: 500 })).map(([text, times]) => Buffer.from(text.repeat(times))),
)

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

/** CPU time of this process only, since the machine is shared. */
async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

for (const { runs, tags } of BYTE_RUNS) {
  test(`readUpload accepts or rejects arbitrary bytes within a second and keeps no rejected file (${runs} runs)`, {
    tags,
    timeout: WITHIN_MS,
  }, async () => {
    const outcomes = { read: 0, refused: 0 }
    async function keep(bytes: Buffer): Promise<void> {
      try {
        const open = (path: string) => () => createReadStream(path)
        const { key } = await storage.lookAndSave(piecesOf(bytes), ({ path }) =>
          readUpload(open(path), { emailsMax: 100_000 }),
        )
        expect(readdirSync(folder)).toEqual([key])
        await storage.remove(key)
        outcomes.read++
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        expect(readdirSync(folder)).toEqual([])
        outcomes.refused++
      }
    }
    const property = fc.asyncProperty(anyBytes, async (bytes) => {
      expect(await cpuMsOf(() => keep(bytes))).toBeLessThan(CPU_MS_MAX)
    })
    await fc.assert(property, { numRuns: runs })
    // Both outcomes must occur.
    expect(Math.min(outcomes.read, outcomes.refused)).toBeGreaterThan(runs / 100)
  })
}

const anyCell = fc
  .oneof(fc.string({ unit: 'grapheme', maxLength: 20 }), anyText)
  .filter((cell) => !/[\0\uFEFF\p{Cs}]/u.test(cell))
const anyTable = fc.array(fc.array(anyCell, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 20 })
const written = fc.record({
  table: anyTable,
  delimiter: fc.constantFrom(...DELIMITERS),
  record_delimiter: fc.constantFrom('\n', '\r\n', '\r'),
  bom: fc.boolean(),
  quoted: fc.boolean(),
  pieceBytes: fc.integer({ min: 1, max: 200 }),
})

test(
  'a written CSV is read unchanged, however it is chunked',
  async () => {
    const property = fc.asyncProperty(written, async ({ table, pieceBytes, ...form }) => {
      const text = stringify(table, { ...form, quoted_empty: true, quoted_match: /[\r\n]/ })
      const records = await recordsOf(inPieces(Buffer.from(text), pieceBytes), form.delimiter)
      expect(records.map(({ cells }) => cells)).toEqual(table)
      expect(records.map(({ row }) => row)).toEqual(table.map((_, n) => n + 1))
    })
    await fc.assert(property, { numRuns: RUNS })
  },
  WITHIN_MS,
)

async function recordsOf(bytes: AsyncIterable<Buffer>, delimiter: Delimiter): Promise<CsvRecord[]> {
  const records: CsvRecord[] = []
  for await (const page of readRecords(bytes, delimiter)) records.push(...page)
  return records
}

async function* inPieces(bytes: Buffer, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += pieceBytes) yield bytes.subarray(from, from + pieceBytes)
}
