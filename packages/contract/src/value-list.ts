/**
 * What a text that may be one of these, or one that is added later, says to programs. Not `enum`, which would have them
 * refuse the new one.
 */
export function openList(table: Readonly<Record<string, unknown>>) {
  return { examples: Object.keys(table), 'x-extensible-enum': Object.keys(table) }
}

/** The rows of a table as a Markdown list, so that a description can never disagree with the table it speaks of. */
export function valueList(table: Readonly<Record<string, string>>): string {
  return Object.entries(table)
    .map(([value, meaning]) => `\n- ${value === '' ? 'empty' : `\`${value}\``}: ${meaning}`)
    .join('')
}
