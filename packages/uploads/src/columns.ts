/** Cells of one column that are not empty, and those of them that hold an address, with a display name or without. */
export type ColumnCount = { filled: number; addresses: number }

const NAME_UNITS_MAX = 200

/** A name for each column: its header, made one of its kind, or its number where there is none. */
export function nameColumns(header: string[], width: number): string[] {
  const taken = new Set<string>()
  return Array.from({ length: width }, (_, n) => {
    const name = cut(header[n]?.trim() ?? '', NAME_UNITS_MAX) || `column_${n + 1}`
    const own = taken.has(name) ? withSuffix(name, taken) : name
    taken.add(own)
    return own
  })
}

function withSuffix(name: string, taken: Set<string>): string {
  let n = 2
  while (taken.has(`${name}_${n}`)) n++
  return `${name}_${n}`
}

/** Without half a character at the end. */
export function cut(text: string, unitsMax: number): string {
  return text.length <= unitsMax ? text : text.slice(0, unitsMax).replace(/\p{Surrogate}$/u, '')
}

/** Below this a column of notes that mention an address now and then would be taken for a list of them. */
const SHARE_MIN = 0.2
const SAYS_MAIL = /mail/i
/** Stricter than SAYS_MAIL, since nothing in the column confirms it: `mailing_city` is not a column of addresses. */
const SAYS_EMAIL = /e[-_ ]?mail|(?<![a-z])mails?(?![a-z])/i
/** The columns that an export adds. They are suggested only where no other column holds addresses. */
const RESULT_COLUMN = /^probity_/i

export type Suggestion = {
  index: number
  reason: 'most_addresses' | 'most_addresses_and_name' | 'several_columns' | 'name_only'
}

/**
 * The column with the most addresses, since a second column that is filled now and then may be all addresses too. Of equals
 * the one whose header says so, then the first. If no column looks like addresses, a header that says email is enough.
 */
export function suggestColumn(names: string[], counts: ColumnCount[]): Suggestion | undefined {
  const candidates = counts
    .map((count, index) => ({ index, ...count, saysMail: SAYS_MAIL.test(names[index] ?? '') }))
    .filter(isLikely)
    .toSorted((a, b) => b.addresses - a.addresses || Number(b.saysMail) - Number(a.saysMail))
  const own = candidates.filter(({ index }) => !RESULT_COLUMN.test(names[index] ?? ''))
  const [best, second] = own.length > 0 ? own : candidates
  if (best && second) return { index: best.index, reason: 'several_columns' }
  if (best) return { index: best.index, reason: best.saysMail ? 'most_addresses_and_name' : 'most_addresses' }
  return suggestByName(names, counts)
}

function suggestByName(names: string[], counts: ColumnCount[]): Suggestion | undefined {
  const [best] = counts
    .map(({ addresses }, index) => ({ index, addresses, name: names[index] ?? '' }))
    .filter(({ name }) => SAYS_EMAIL.test(name) && !RESULT_COLUMN.test(name))
    .toSorted((a, b) => b.addresses - a.addresses)
  return best && { index: best.index, reason: 'name_only' }
}

export function isLikely({ filled, addresses }: ColumnCount): boolean {
  return addresses > 0 && addresses >= filled * SHARE_MIN
}
