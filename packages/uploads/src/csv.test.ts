import { expect, test } from 'vitest'
import { type Delimiter, guessDelimiter, readRecords } from './csv.ts'

test.each<[string, Delimiter]>([
  ['name,email\nA,a@example.com', ','],
  ['name;email\nA, B;a@example.com', ';'],
  ['1,5;2,5;3,5\n1,5;2,5;3,5', ','],
  ['a;b;c,d\na;b;c,d', ';'],
  ['email\na@example.com', ','],
])('guessDelimiter(%j) returns %j, of two that agree in as many lines the more frequent one', (text, delimiter) => {
  expect(guessDelimiter(text)).toBe(delimiter)
})

test.each([
  ['', 0],
  ['a\nb', 2],
  ['a\nb\n', 2],
  ['a\r\nb\r\n', 2],
  ['\n\na\n \n\n', 5],
  ['a,"x\ny"\n\nb\n', 3],
])('readRecords counts the lines of %j', async (text, count) => {
  async function* bytes() {
    yield Buffer.from(text)
  }
  let lines = -1
  const noteLines = (found: number) => {
    lines = found
  }
  for await (const _ of readRecords(bytes(), ',', noteLines));
  expect(lines).toBe(count)
})

test('readRecords reads one million rows, and rejects a file with one more', async () => {
  const piece = Buffer.from('a\n'.repeat(10_000))
  const countRows = async (...more: Buffer[]) => {
    async function* bytes() {
      yield* [...Array<Buffer>(100).fill(piece), ...more]
    }
    let rows = 0
    for await (const records of readRecords(bytes(), ',')) rows += records.length
    return rows
  }
  expect(await countRows()).toBe(1_000_000)
  await expect(countRows(Buffer.from('b\n'))).rejects.toMatchObject({ code: 'too_many_rows' })
  await expect(countRows(Buffer.from('\n'))).rejects.toMatchObject({ code: 'too_many_rows' })
})
