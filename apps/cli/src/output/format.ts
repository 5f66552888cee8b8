const COUNT = new Intl.NumberFormat('en')

export function formatCount(count: number): string {
  return COUNT.format(count)
}

/** "1 credit" or "2 credits". */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

export function formatShare(share: number): string {
  return `${Math.floor(share * 100)} %`
}

export function formatRate(perSecond: number): string {
  return `${perSecond >= 10 ? Math.round(perSecond) : Math.round(perSecond * 10) / 10}/s`
}

/** The local time of day. */
export function formatClock(time: Date): string {
  return time.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
}

export function formatSize(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`
  if (bytes < 1_024 * 1_024) return `${Math.round(bytes / 1_024)} KiB`
  return `${Math.round((bytes / 1_024 / 1_024) * 10) / 10} MiB`
}

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

/** Replaces control and bidi characters, so that text from a file or from the service cannot control the terminal. */
export function readable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
}
