/** Characters that start a formula, in all their Unicode widths and heights. */
const BEGINS_FORMULA = /[=＝﹦⁼₌+＋﹢⁺₊\-－﹣⁻₋−@＠﹫]/gu
/** A formula character, or a leading character that spreadsheets drop. Most cells have neither and need no further check. */
const MAY_NEED_IT = new RegExp(`${BEGINS_FORMULA.source}|^[\\t\\r\\n]`, 'u')
/** Characters that spreadsheets skip at the beginning of a cell. */
const PASSED_OVER = /[\s\p{C}\p{Z}"]/u
/** Characters at which a program with another delimiter setting starts a new cell. */
const SEPARATES = /[,;|\t\r\n]/

/**
 * Puts a ' before everything that a spreadsheet would read as a formula: at the beginning of the cell, and after a possible delimiter or
 * line
 * break inside it, since a sheet opened with the wrong delimiter is split there. The rest of the cell is unchanged.
 */
export function defuseCell(cell: string): string {
  if (!MAY_NEED_IT.test(cell)) return cell
  let safe = ''
  let from = 0
  for (const { index } of cell.matchAll(BEGINS_FORMULA)) {
    const start = startOfPart(cell, index)
    if (start === undefined) continue
    safe += `${cell.slice(from, start)}'`
    from = start
  }
  safe += cell.slice(from)
  // Some spreadsheets drop a leading tab or line break and then parse the rest as a cell.
  return /^[\t\r\n]/.test(safe) ? `'${safe}` : safe
}

/** Returns the start of the part whose first visible character is at this index; undefined if it is not the first. */
function startOfPart(cell: string, index: number): number | undefined {
  // The loop stops at the previous such character, so all searches in a cell together visit each character once.
  for (let at = index; at > 0; ) {
    const character = characterBefore(cell, at)
    if (SEPARATES.test(character)) return at
    if (!PASSED_OVER.test(character)) return undefined
    at -= character.length
  }
  return 0
}

function characterBefore(text: string, at: number): string {
  const pair = text.codePointAt(at - 2) ?? 0
  return pair > 0xffff ? String.fromCodePoint(pair) : text.charAt(at - 1)
}
