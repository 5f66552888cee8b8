/** The rows of a table as a Markdown list, so that a description can never disagree with the table it speaks of. */
export function valueList(table: Readonly<Record<string, string>>): string {
  return Object.entries(table)
    .map(([value, meaning]) => `\n- ${value === '' ? 'empty' : `\`${value}\``}: ${meaning}`)
    .join('')
}
