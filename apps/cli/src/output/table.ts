import { readable } from './readable.ts'

type Paint = (text: string, column: number, row: number) => string

/** Rows as aligned columns. The last column is not padded. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  paint: Paint = (text) => text,
) {
  const clean = [head, ...rows].map((cells) => cells.map(readable))
  const widths = head.map((_, column) => Math.max(...clean.map((cells) => widthOf(cells[column] ?? ''))))
  return clean
    .map((cells, row) => {
      const line = cells.map((cell, column) => {
        const isLast = column === cells.length - 1
        const space = isLast ? '' : ' '.repeat((widths[column] ?? 0) - widthOf(cell))
        return `${row === 0 ? cell : paint(cell, column, row - 1)}${space}`
      })
      return `${line.join('  ').trimEnd()}\n`
    })
    .join('')
}

/** Names and values, one pair per line. */
export function formatPairs(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${readable(value)}\n`).join('')
}

/** Counts code points. Wide characters take two cells in a terminal, which addresses rarely contain. */
function widthOf(text: string): number {
  return [...text].length
}
