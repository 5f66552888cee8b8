/** What a formula begins with, in all the widths and heights that Unicode has of it. */
const BEGINS_FORMULA = /[=＝﹦⁼₌+＋﹢⁺₊\-－﹣⁻₋−@＠﹫]/gu
/** The same, or a beginning that is dropped. Most cells have neither and need not be looked at closely. */
const MAY_NEED_IT = new RegExp(`${BEGINS_FORMULA.source}|^[\\t\\r\\n]`, 'u')
/** Spreadsheets pass over these when they look for the beginning of a cell. */
const PASSED_OVER = /[\s\p{C}\p{Z}"]/u
/** Where another cell begins for a program that takes the file to be separated otherwise than it is. */
const SEPARATES = /[,;|\t\r\n]/

/**
 * Puts a ' before whatever a spreadsheet would take for a formula: at the beginning of the cell, and inside it behind what could be
 * a delimiter or a line's end, since a sheet opened with the wrong delimiter is cut there. Everything else stays as it is.
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
  // Some spreadsheets drop a tab or a line's end in front and then begin anew.
  return /^[\t\r\n]/.test(safe) ? `'${safe}` : safe
}

/** Where the part begins whose first visible character stands here; nothing if it is not the first. */
function startOfPart(cell: string, index: number): number | undefined {
  // Never passes another such character, so all searches in a cell together pass each character once.
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
