import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

/** A cell: text as a shared string, a number, or the XML of a `c` element. */
type TestCell = string | number | { xml: string }
export type TestSheet = {
  name: string
  state?: 'hidden'
  /** Rows by their number. A blank row has no cells. */
  rows?: TestCell[][]
  /** In place of the part with the rows. */
  xml?: string
}

export type TestWorkbook = {
  sheets: TestSheet[]
  from1904?: boolean
  /** Formats of the numbers, by the style that cells name. */
  formats?: string[]
  /** In place of the part with the shared strings. */
  sharedXml?: string
  /** Other parts, by their name. */
  parts?: Record<string, string>
}

const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** Writes a workbook as Excel does: with shared strings, and with parts in another order than they are read. */
export async function writeTestWorkbook({
  sheets,
  from1904 = false,
  ...other
}: TestWorkbook): Promise<Buffer<ArrayBuffer>> {
  const strings: string[] = []
  const parts: Record<string, string> = {}
  for (const [n, sheet] of sheets.entries()) {
    parts[`xl/worksheets/sheet${n + 1}.xml`] = sheet.xml ?? sheetXml(sheet.rows ?? [], strings)
  }
  const names = sheets.map(
    ({ name, state = 'visible' }, n) =>
      `<sheet name="${escapeXml(name)}" sheetId="${n + 1}" state="${state}" r:id="rId${n + 1}"/>`,
  )
  const relations = sheets.map((_, n) => relationXml(`rId${n + 1}`, 'worksheet', `worksheets/sheet${n + 1}.xml`))
  Object.assign(parts, {
    'xl/workbook.xml': `<workbook ${MAIN} xmlns:r="${RELATIONS}"><workbookPr date1904="${from1904}"/><sheets>${names.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${relations.join('')}${relationXml('rIdS', 'sharedStrings', '/xl/sharedStrings.xml')}${relationXml('rIdT', 'styles', 'styles.xml')}</Relationships>`,
    '_rels/.rels': `<Relationships>${relationXml('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/styles.xml': stylesXml(other.formats ?? []),
    'xl/sharedStrings.xml':
      other.sharedXml ??
      `<sst ${MAIN}>${strings.map((text) => `<si><t xml:space="preserve">${escapeXml(text)}</t></si>`).join('')}</sst>`,
    ...other.parts,
  })
  return writeTestZip(parts)
}

export async function writeTestZip(parts: Record<string, string>): Promise<Buffer<ArrayBuffer>> {
  const zip = new ZipFile()
  for (const [name, text] of Object.entries(parts)) zip.addBuffer(Buffer.from(text), name)
  zip.end()
  return Buffer.from(await buffer(zip.outputStream))
}

function sheetXml(rows: TestCell[][], strings: string[]): string {
  const written = rows.map((cells, n) =>
    cells.length === 0
      ? ''
      : `<row r="${n + 1}">${cells.map((cell, at) => cellXml(cell, [at, n], strings)).join('')}</row>`,
  )
  return `<worksheet ${MAIN}><sheetData>${written.join('')}</sheetData></worksheet>`
}

function cellXml(cell: TestCell, [column, row]: [number, number], strings: string[]): string {
  const reference = `${String.fromCharCode(65 + column)}${row + 1}`
  if (typeof cell === 'object') return cell.xml.replace('<c', `<c r="${reference}"`)
  if (typeof cell === 'number') return `<c r="${reference}"><v>${cell}</v></c>`
  if (cell === '') return ''
  return `<c r="${reference}" t="s"><v>${strings.push(cell) - 1}</v></c>`
}

function stylesXml(formats: string[]): string {
  const codes = formats.map((code, n) => `<numFmt numFmtId="${n + 164}" formatCode="${escapeXml(code)}"/>`)
  const styles = formats.map((_, n) => `<xf numFmtId="${n + 164}"/>`)
  return `<styleSheet ${MAIN}><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${styles.join('')}</cellXfs></styleSheet>`
}

function relationXml(id: string, type: string, target: string): string {
  return `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
