export const DELIMITERS = [',', ';', '\t', '|'] as const

export type Delimiter = (typeof DELIMITERS)[number]

const LINES_LOOKED_AT = 20
const QUOTED = /"[^"]*"/g

/**
 * What separates the cells: the character that the first lines agree on most, by how often each of them has it. Where none
 * has any there is one column, and then it does not matter.
 */
export function guessDelimiter(beginning: string): Delimiter {
  // What stands in quotes separates nothing. A line of which only tabs are left is one whose cells are all quoted.
  const lines = beginning.replace(QUOTED, '').split(/\r\n|\n|\r/, LINES_LOOKED_AT)
  const guesses = DELIMITERS.map((delimiter) => ({ delimiter, ...agreementOn(delimiter, lines) }))
  const [best] = guesses.toSorted((a, b) => b.lines - a.lines || b.perLine - a.perLine)
  return best?.delimiter ?? ','
}

/** How many lines have the same number of them, and that number. */
function agreementOn(delimiter: Delimiter, lines: string[]): { lines: number; perLine: number } {
  const counts = lines.map((line) => line.split(delimiter).length - 1).filter((count) => count > 0)
  const groups = [...Map.groupBy(counts, (count) => count)]
  const [largest] = groups.toSorted(([, a], [, b]) => b.length - a.length)
  return { lines: largest?.[1].length ?? 0, perLine: largest?.[0] ?? 0 }
}
