import { readable } from './readable.ts'

type Paint = (text: string, column: number, row: number) => string

/** Rows as columns of the same width, for people. The last column is not filled up, so that nothing trails. */
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

/** Names with their values, one to a line. */
export function formatPairs(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${readable(value)}\n`).join('')
}

/** Not quite what a terminal does with every script, but near enough for addresses. */
function widthOf(text: string): number {
  return [...text].length
}
