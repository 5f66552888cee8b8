import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { Refusal } from '../refusal.ts'

/** Real workbooks have a few dozen parts. */
const PARTS_MAX = 5_000
/** Inflated bytes of all parts that are read, and of parts that are read again. A row of ten cells has about 400 bytes. */
const INFLATED_BYTES_MAX = 512 * 1024 * 1024
/** A small workbook is not allowed to unpack to that much: sheets of real ones shrink to a tenth or a twentieth. */
const INFLATED_RATIO_MAX = 100
const INFLATED_BYTES_MIN = 64 * 1024 * 1024

/** The parts of an Office document, which is a ZIP archive. */
export type Parts = {
  /** Undefined for a part that does not exist. */
  find(name: string): (() => AsyncGenerator<Buffer>) | undefined
  close(): void
}

/**
 * Opens a local ZIP archive. Parts are inflated as they are read. A part that declares too many bytes is not read at all, and one that has
 * more than it declares is an error.
 */
export async function openParts(path: string): Promise<Parts> {
  const zip = await openPromise(path, { autoClose: false })
  const bytesMax = limitFor(zip.fileSize)
  try {
    const entries = await listEntries(zip)
    let inflated = 0
    async function* read(entry: Entry): AsyncGenerator<Buffer> {
      if (entry.isEncrypted()) throw new Refusal('not_csv', 'The workbook is encrypted.')
      if (inflated + entry.uncompressedSize > bytesMax) throw tooLarge()
      const stream = await zip.openReadStreamPromise(entry)
      try {
        for await (const chunk of stream as AsyncIterable<Buffer>) {
          inflated += chunk.length
          if (inflated > bytesMax) throw tooLarge()
          yield chunk
        }
      } finally {
        stream.destroy()
      }
    }
    return {
      find(name) {
        const entry = entries.get(name)
        return entry && (() => read(entry))
      },
      close: () => zip.close(),
    }
  } catch (error) {
    zip.close()
    throw error
  }
}

function limitFor(fileBytes: number): number {
  return Math.min(INFLATED_BYTES_MAX, Math.max(INFLATED_BYTES_MIN, fileBytes * INFLATED_RATIO_MAX))
}

async function listEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>()
  if (zip.entryCount > PARTS_MAX) throw tooLarge()
  for await (const entry of zip.eachEntry()) {
    if (entries.size >= PARTS_MAX) throw tooLarge()
    entries.set(entry.fileName, entry)
  }
  return entries
}

function tooLarge(): Refusal {
  return new Refusal('file_too_large', 'The workbook is too large when it is unpacked.')
}
