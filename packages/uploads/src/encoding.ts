import { Refusal } from './refusal.ts'

export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const

export type Encoding = (typeof ENCODINGS)[number]

const BYTE_ORDER_MARKS: [Encoding, Buffer][] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
]

/** First bytes of files that are often mistaken for CSV, or that are compressed. */
const OTHER_FORMATS: [string, Buffer][] = [
  ['an Excel workbook or another ZIP archive', Buffer.from('PK\x03\x04', 'latin1')],
  ['an empty ZIP archive', Buffer.from('PK\x05\x06', 'latin1')],
  ['an old Excel workbook', Buffer.from([0xd0, 0xcf, 0x11, 0xe0])],
  ['compressed with gzip', Buffer.from([0x1f, 0x8b])],
  ['a PDF document', Buffer.from('%PDF-', 'latin1')],
]

/**
 * Finds out how a text is written, and gives its beginning. A file that says so by its first bytes is held to it; any other is
 * UTF-8 if all of it can be that, and else Windows-1252, which is what spreadsheets in the West save.
 */
export async function findEncoding(bytes: AsyncIterable<Buffer>): Promise<{ encoding: Encoding; beginning: string }> {
  let first: Buffer | undefined
  let reading: Decoding | undefined
  let encoding: Encoding = 'utf-8'
  for await (const chunk of bytes) {
    if (first === undefined) {
      first = chunk
      refuseOtherFormats(chunk)
      reading = beginDecoding(chunk)
    }
    if (!reading?.isWide && chunk.includes(0)) throw hasNul()
    encoding = reading?.take(chunk) ?? encoding
  }
  if (first === undefined) throw new Refusal('empty_file', 'The file is empty.')
  encoding = reading?.end() ?? encoding
  return { encoding, beginning: new TextDecoder(encoding).decode(first, { stream: true }) }
}

function refuseOtherFormats(beginning: Buffer): void {
  for (const [name, mark] of OTHER_FORMATS) {
    if (startsWith(beginning, mark)) {
      throw new Refusal('not_csv', `The file is ${name}. Save the spreadsheet as CSV and upload the CSV file.`)
    }
  }
}

type Decoding = { isWide: boolean; take(chunk: Buffer): Encoding; end(): Encoding }

function beginDecoding(beginning: Buffer): Decoding {
  const marked = BYTE_ORDER_MARKS.find(([, mark]) => startsWith(beginning, mark))?.[0]
  const isWide = marked === 'utf-16le' || marked === 'utf-16be'
  const decoder = new TextDecoder(marked ?? 'utf-8', { fatal: true })
  let encoding: Encoding = marked ?? 'utf-8'

  function decode(chunk?: Buffer): Encoding {
    if (encoding === 'windows-1252') return encoding // settled: every byte means something there
    try {
      const text = chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
      if (isWide && text.includes('\0')) throw hasNul()
    } catch (error) {
      if (error instanceof Refusal) throw error
      if (marked)
        throw new Refusal(
          'not_csv',
          `The file starts as ${marked.toUpperCase()} but is not valid ${marked.toUpperCase()}.`,
        )
      encoding = 'windows-1252'
    }
    return encoding
  }
  return { isWide, take: decode, end: () => decode() }
}

function startsWith(bytes: Buffer, mark: Buffer): boolean {
  return bytes.subarray(0, mark.length).equals(mark)
}

/** No text has them, and PostgreSQL would not take them. */
function hasNul(): Refusal {
  return new Refusal('not_csv', 'The file contains NUL characters and is probably binary. Save it as CSV.')
}

/** The same text as UTF-8, piece by piece. */
export async function* asUtf8(bytes: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') {
    yield* bytes
    return
  }
  const decoder = new TextDecoder(encoding)
  for await (const chunk of bytes) yield Buffer.from(decoder.decode(chunk, { stream: true }))
}
