import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify/sync'
import { asUtf8, type CsvRecord, type Encoding, readRecords, startsWithMark, type Writing } from './csv.ts'

type Format = Pick<Writing, 'encoding' | 'delimiter'>

/** Returns the same array for a row that does not change. */
type Change = (record: CsvRecord) => string[]

/** Writes a file with other cells, in the same encoding. Rows keep their numbers, which identify their results. Returns the number of changed rows. */
export async function rewriteRows(
  [from, to]: [from: string, to: string],
  { encoding, delimiter }: Format,
  change: Change,
): Promise<number> {
  let changed = 0
  let hasMark = false
  async function* read(): AsyncGenerator<Buffer> {
    let isFirst = true
    for await (const chunk of createReadStream(from)) {
      if (isFirst) hasMark = startsWithMark(chunk)
      isFirst = false
      yield chunk
    }
  }
  async function* rewritten(): AsyncGenerator<Buffer> {
    const encode = encoderOf(encoding)
    let isFirst = true
    let lines = 0
    for await (const records of readRecords(asUtf8(read(), encoding), delimiter)) {
      if (isFirst && hasMark) yield encode(BYTE_ORDER_MARK)
      isFirst = false
      let text = ''
      for (const record of records) {
        const cells = change(record)
        if (cells !== record.cells) changed++
        // Empty lines count as rows.
        text += '\n'.repeat(record.row - 1 - lines) + stringify([cells], { delimiter, quoted: true })
        lines = record.row
      }
      if (text !== '') yield encode(text)
    }
  }
  await pipeline(rewritten(), createWriteStream(to))
  return changed
}

const BYTE_ORDER_MARK = '\uFEFF'

function encoderOf(encoding: Encoding): (text: string) => Buffer {
  if (encoding === 'utf-8') return (text) => Buffer.from(text)
  if (encoding === 'utf-16le') return (text) => Buffer.from(text, 'utf16le')
  if (encoding === 'utf-16be') return (text) => Buffer.from(text, 'utf16le').swap16()
  const bytes = new Map(Array.from({ length: 256 }, (_, byte) => [decodeByte(byte), byte]))
  return (text) => Buffer.from(Array.from(text, (character) => bytes.get(character) ?? QUESTION_MARK))
}

const QUESTION_MARK = 0x3f

/** Every byte is a character in Windows-1252, so a text that was decoded from it can be encoded again. */
function decodeByte(byte: number): string {
  return new TextDecoder('windows-1252').decode(Uint8Array.of(byte))
}
