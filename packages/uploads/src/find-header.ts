import { type CsvRecord, isBlank } from './csv.ts'

/** Stricter than `/mail/`, because the content of the column does not confirm it: `mailing_city` is not a column of addresses. */
export const SAYS_EMAIL = /e[-_ ]?mail|(?<![a-z])mails?(?![a-z])/i

/** A cell that is a column name and nothing else. */
const IS_EMAIL = /^\W*(e[-_ ]?)?mail([-_ ]?(address|adresse))?\W*$/i

/** A row with an address, even a malformed one, is data. */
export function hasAddress(cells: string[]): boolean {
  return cells.some((cell) => /[^\s@]@[^\s@]/.test(cell))
}

/**
 * The row with the column names, among the first rows of a file that are not blank, up to the first one with an address. Rows above it are a
 * title, or notes: they have fewer cells, or do not name email.
 */
export function findHeader(rows: CsvRecord[]): CsvRecord | undefined {
  const texts = rows.filter(({ cells }) => !hasAddress(cells))
  if (rows[0] === undefined || texts[0] !== rows[0]) return undefined
  const cellsMost = Math.max(...rows.map(({ cells }) => countFilled(cells)))
  const wide = texts.filter(({ cells }) => countFilled(cells) > 1 || cellsMost === 1)
  const named = (pattern: RegExp) => wide.find(({ cells }) => cells.some((cell) => pattern.test(cell)))
  const widest = wide.find(({ cells }) => countFilled(cells) >= cellsMost - 1)
  return named(IS_EMAIL) ?? named(SAYS_EMAIL) ?? widest ?? texts[0]
}

function countFilled(cells: string[]): number {
  return cells.filter((cell) => !isBlank(cell)).length
}
