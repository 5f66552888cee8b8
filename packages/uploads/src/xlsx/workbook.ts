import { posix } from 'node:path'
import { Refusal } from '../refusal.ts'
import { isDateFormat, type NumberForms, type SharedStrings, unescapeText } from './cell-values.ts'
import { localName, parseXml, readXml } from './read-xml.ts'
import type { Parts } from './zip-parts.ts'

const SHEETS_MAX = 1_000
const NAME_UNITS_MAX = 200
const STYLES_MAX = 100_000
const SHARED_STRINGS_MAX = 1_000_000
/** UTF-16 units of all shared strings. The thread that holds them has 256 MB. */
const SHARED_UNITS_MAX = 32 * 1024 * 1024

/** A sheet of a workbook, and its part. */
export type Sheet = { name: string; isHidden: boolean; part: string }

type Workbook = {
  sheets: Sheet[]
  from1904: boolean
  stylesPart: string | undefined
  sharedPart: string | undefined
}

/** Finds the sheets of a workbook. Throws a Refusal for another kind of archive. */
export async function readWorkbook(parts: Parts): Promise<Workbook> {
  const [start] = await readRelations(parts, '')
    .then((all) => all.filter(({ type }) => type === 'officeDocument'))
    .catch(() => [])
  const readPart = start && parts.find(start.target)
  if (readPart === undefined) throw notAWorkbook()
  const relations = await readRelations(parts, start?.target ?? '')
  const partOf = (type: string) => relations.find((one) => one.type === type)?.target
  const sheets: Sheet[] = []
  let from1904 = false
  await parseXml(readPart(), {
    open(name, attributes) {
      if (name === 'workbookPr') from1904 = ['1', 'true'].includes(attributes['date1904'] ?? '')
      if (name !== 'sheet') return
      const id = Object.entries(attributes).find(([key]) => key.includes(':') && localName(key) === 'id')?.[1]
      const part = relations.find((one) => one.id === id && one.type === 'worksheet')?.target
      if (part === undefined) return // a sheet with a chart only
      if (sheets.length >= SHEETS_MAX) throw tooManySheets()
      const title = (attributes['name'] ?? '').slice(0, NAME_UNITS_MAX)
      sheets.push({ name: title, part, isHidden: (attributes['state'] ?? 'visible') !== 'visible' })
    },
  })
  if (sheets.length === 0) throw notAWorkbook()
  return { sheets, from1904, stylesPart: partOf('styles'), sharedPart: partOf('sharedStrings') }
}

type Relation = { id: string; type: string; target: string }

/** The parts that a part refers to; those of the archive itself for an empty name. */
async function readRelations(parts: Parts, of: string): Promise<Relation[]> {
  const folder = posix.dirname(of)
  const read = parts.find(posix.join(folder, '_rels', `${posix.basename(of)}.rels`))
  const relations: Relation[] = []
  if (read === undefined) return relations
  await parseXml(read(), {
    open(name, { Id: id = '', Type: type = '', Target: target = '' }) {
      if (name !== 'Relationship' || relations.length >= SHEETS_MAX * 2) return
      const path = target.startsWith('/') ? target.slice(1) : posix.join(folder, target)
      relations.push({ id, type: type.slice(type.lastIndexOf('/') + 1), target: path })
    },
  })
  return relations
}

/** The styles whose numbers are dates. */
export async function readNumberForms(parts: Parts, { stylesPart, from1904 }: Workbook): Promise<NumberForms> {
  const codes = new Map<number, string>()
  const formats: number[] = []
  let isInCells = false
  const read = stylesPart === undefined ? undefined : parts.find(stylesPart)
  if (read) {
    await parseXml(read(), {
      open(name, { numFmtId = '', formatCode = '' }) {
        if (name === 'cellXfs') isInCells = true
        if (codes.size + formats.length > STYLES_MAX) throw new Refusal('not_csv', 'The workbook has too many styles.')
        if (name === 'numFmt') codes.set(Number(numFmtId), formatCode)
        if (name === 'xf' && isInCells) formats.push(Number(numFmtId))
      },
      close(name) {
        if (name === 'cellXfs') isInCells = false
      },
    })
  }
  // Many styles may name one format.
  const dateIds = new Set([...new Set(formats)].filter((id) => isDateFormat(id, codes.get(id))))
  const dates = new Set(formats.flatMap((id, style) => (dateIds.has(id) ? [String(style)] : [])))
  return { isDate: (style) => style !== undefined && dates.has(style), from1904 }
}

/** The shared strings, without phonetic readings. */
export async function readSharedStrings(parts: Parts, { sharedPart }: Workbook): Promise<SharedStrings> {
  const read = sharedPart === undefined ? undefined : parts.find(sharedPart)
  const strings: string[] = []
  if (read === undefined) return strings
  const collector = openTextCollector()
  let units = 0
  const handler = {
    open: (name: string) => (name === 'si' ? collector.begin() : collector.open(name)),
    text: collector.text,
    close(name: string) {
      collector.close(name)
      if (name !== 'si') return
      const text = detach(unescapeText(collector.take()))
      units += text.length
      if (strings.length >= SHARED_STRINGS_MAX || units > SHARED_UNITS_MAX) throw tooManyStrings()
      strings.push(text)
    },
  }
  for await (const _ of readXml(read(), handler));
  return strings
}

/** A part of a text keeps the whole text in memory, here the part of the file that contains it. A copy does not. */
function detach(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}

/** Collects the text of `t` and `v` elements. Phonetic readings (`rPh`) are `t` elements too, and no part of the text. */
export function openTextCollector() {
  let texts: string[] = []
  let isText = false
  let isPhonetic = false
  return {
    begin(): void {
      texts = []
      isText = false
      isPhonetic = false
    },
    open(name: string): void {
      if (name === 'rPh') isPhonetic = true
      isText = (name === 't' || name === 'v') && !isPhonetic
    },
    text(text: string): void {
      if (isText) texts.push(text)
    },
    close(name: string): void {
      if (name === 'rPh') isPhonetic = false
      isText = false
    },
    take: (): string => texts.join(''),
  }
}

function notAWorkbook(): Refusal {
  return new Refusal('not_csv', 'The file is a ZIP archive and not an Excel workbook (XLSX).')
}

function tooManySheets(): Refusal {
  return new Refusal('not_csv', `The workbook has more than ${SHEETS_MAX.toLocaleString('en')} sheets.`)
}

function tooManyStrings(): Refusal {
  return new Refusal('file_too_large', 'The workbook has too many different texts.')
}
