import { type SaxesOptions, SaxesParser } from 'saxes'

/** The longest text of a cell has 32,767 characters, each of up to 6 bytes as an entity. */
const WITHOUT_TAG_MAX = 256 * 1024
const DEPTH_MAX = 64

type XmlHandler = {
  /** The name is without its namespace prefix. */
  open(name: string, attributes: Record<string, string>): void
  close?(name: string): void
  text?(text: string): void
}

/** Thrown for XML that no spreadsheet program writes. */
export class BadXml extends Error {}

/**
 * Parses XML in UTF-8 as a stream. Yields after each chunk, so that the consumer can take what the handler has collected. Rejects what
 * would collect in memory: long texts and attributes, deep nesting, and document types with their entities.
 */
export async function* readXml(bytes: AsyncIterable<Buffer>, handler: XmlHandler): AsyncGenerator<void> {
  const parser = new SaxesParser<SaxesOptions & { xmlns: false }>({ position: false, xmlns: false })
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let depth = 0
  let withoutTag = 0
  parser.on('opentag', ({ name, attributes }) => {
    withoutTag = 0
    if (++depth > DEPTH_MAX) throw new BadXml('nested too deeply')
    handler.open(localName(name), attributes)
  })
  parser.on('closetag', ({ name }) => {
    withoutTag = 0
    depth--
    handler.close?.(localName(name))
  })
  parser.on('text', (text) => handler.text?.(text))
  parser.on('cdata', (text) => handler.text?.(text))
  parser.on('doctype', () => {
    throw new BadXml('document type')
  })
  for await (const chunk of bytes) {
    withoutTag += chunk.length
    parser.write(decoder.decode(chunk, { stream: true }))
    if (withoutTag > WITHOUT_TAG_MAX) throw new BadXml('text too long')
    yield
  }
  parser.write(decoder.decode())
  parser.close()
  yield
}

/** Parses a whole part. */
export async function parseXml(bytes: AsyncIterable<Buffer>, handler: XmlHandler): Promise<void> {
  for await (const _ of readXml(bytes, handler));
}

export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
