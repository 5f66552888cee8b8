/** Longest part of a name that is kept on one line: a table with two such columns fits on a phone. */
const NAME_MAX = 24
/** A cell with more characters than this is text to read. */
const TEXT_MIN = 60
/** A cell with at most this many characters stays on one line, and so does a figure with its unit. */
const SHORT_MAX = 8
const STACKED_COLUMNS_MIN = 3

const TABLE = /<table>(?:(?!<\/table>)[\s\S])*<\/table>/g
const HEADER = /<th[^>]*>((?:(?!<\/th>)[\s\S])*)<\/th>/g
const ROW_OR_CELL = /<tr>|<td([^>]*)>((?:(?!<\/td>)[\s\S])*)<\/td>/g
const FIGURE = /^[≤≥]?[\d.,]+ ?%?( – [\d.,]+ ?%?)?$/

const HEADING = /(<h[23] [^>]*>)((?:(?!<\/h[23]>)[\s\S])*)(?=<\/h[23]>)/g
const INLINE_CODE = /(<code dir="auto">)([^<]+)(?=<\/code>)/g

/** Marks tables, headings and names of a page, so that they can be read on a phone. */
export function markLayout(html: string): string {
  const stacked = new Set((html.match(TABLE) ?? []).filter(hasText).map(readHeaders))
  return html
    .replace(TABLE, (table) => markTable(table, stacked))
    .replace(HEADING, (_, start: string, text: string) => start + breakHeading(text))
    .replace(INLINE_CODE, (_, start: string, code: string) => start + code.split(' ').map(breakName).join(' '))
}

/**
 * Cells with text are wide enough to read. A table of several columns with text shows its rows as lists on a phone, and so do the
 * tables of the page with the same headers.
 */
function markTable(table: string, stacked: Set<string>): string {
  const headers = readHeaders(table).split('\n')
  const isStacked = headers.length >= STACKED_COLUMNS_MIN && stacked.has(headers.join('\n'))
  let column = 0
  const marked = table.replace(ROW_OR_CELL, (piece, attributes: string | undefined, cell: string) => {
    if (attributes === undefined) {
      column = 0
      return piece
    }
    const label = isStacked && column > 0 ? ` data-label="${headers[column]?.replaceAll('"', '&quot;')}"` : ''
    column++
    return `<td${attributes}${classOf(readText(cell))}${label}>${cell}</td>`
  })
  return isStacked ? addRoles(marked) : marked
}

function readHeaders(table: string): string {
  return [...table.matchAll(HEADER)].map(([, header = '']) => readText(header)).join('\n')
}

function hasText(table: string): boolean {
  return [...table.matchAll(ROW_OR_CELL)].some(([, , cell = '']) => readText(cell).length > TEXT_MIN)
}

function classOf(text: string): string {
  if (text.length > TEXT_MIN) return ' class="text"'
  const isShort = (text !== '' && text.length <= SHORT_MAX) || FIGURE.test(text)
  return isShort ? ' class="short"' : ''
}

/** Some browsers do not report a table whose rows are shown as lists; the roles keep it a table for screen readers. */
function addRoles(table: string): string {
  return table
    .replace('<table>', '<table class="stacked" role="table">')
    .replaceAll(/<(thead|tbody)>/g, '<$1 role="rowgroup">')
    .replaceAll('<tr>', '<tr role="row">')
    .replaceAll(/<th(?=[ >])/g, '<th role="columnheader"')
    .replaceAll(/<td(?=[ >])/g, '<td role="cell"')
}

/** Allows line breaks within the names of codes and methods. */
function breakHeading(text: string): string {
  return text.replaceAll(/<[^>]*>|[_(]|\.(?=[a-z])/g, (piece) => (piece.startsWith('<') ? piece : `${piece}<wbr>`))
}

/** Breaks a long name after its separators only, and a short one nowhere, not even at a hyphen. */
function breakName(name: string): string {
  if (name.length <= NAME_MAX) return name.includes('-') ? `<span class="whole">${name}</span>` : name
  const lines = ['']
  for (const part of name.match(/[^_/=,@]*[_/=,@]|[^_/=,@]+/g) ?? []) {
    const last = lines.at(-1) ?? ''
    if (last === '' || last.length + part.length <= NAME_MAX) lines[lines.length - 1] = last + part
    else lines.push(part)
  }
  return lines.join('<wbr>')
}

function readText(html: string): string {
  return html.replaceAll(/<[^>]*>/g, '').trim()
}
