/** Prints a table on stderr. The first row is the header, the first column the names. */
export function printTable(title: string, rows: (string | number)[][]): void {
  const nameWidth = Math.max(20, ...rows.map(([name]) => String(name).length))
  const lines = rows.map(([name, ...cells]) => {
    const columns = cells.map((cell) => String(cell).padStart(22))
    return `  ${String(name).padEnd(nameWidth)}${columns.join('')}\n`
  })
  process.stderr.write(`\n${title}\n${lines.join('')}`)
}

export function rounded(figure: number): number {
  return Math.round(figure * 1_000) / 1_000
}
