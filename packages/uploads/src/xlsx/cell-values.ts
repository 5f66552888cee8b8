/** How the numbers of a workbook are shown. */
export type NumberForms = {
  /** Whether numbers with this style are dates. */
  isDate(style: string | undefined): boolean
  /** Whether days are counted from 1904, as on old Macs, instead of 1900. */
  from1904: boolean
}

/** A cell without a value of a formula, a style or a shared string that it refers to. */
export type RawCell = { type: string | undefined; style: string | undefined; text: string }

/** The text of a cell as a spreadsheet program exports it to CSV, except that dates are in ISO 8601. */
export function showCell({ type = 'n', style, text }: RawCell, shared: SharedStrings, forms: NumberForms): string {
  if (type === 's') return shared[Number(text)] ?? ''
  if (type === 'b') return text === '1' ? 'TRUE' : 'FALSE'
  if (type !== 'n') return unescapeText(text) // inlineStr, str (of a formula), d (a date in ISO 8601), e (an error)
  return showNumber(text, forms.isDate(style), forms.from1904)
}

/** The texts that cells refer to by their number. */
export type SharedStrings = readonly string[]

/** Characters that XML cannot contain are written as `_x000D_`. NUL is never text. */
export function unescapeText(text: string): string {
  if (!text.includes('_x')) return text
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => {
    return code === '0000' ? '' : String.fromCharCode(Number.parseInt(code, 16))
  })
}

/** Spreadsheet programs compute with more digits than they show. */
const DIGITS_SHOWN = 15

function showNumber(text: string, isDate: boolean, from1904: boolean): string {
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number)) return text
  const date = isDate ? showDate(number, from1904) : undefined
  return date ?? String(Number(number.toPrecision(DIGITS_SHOWN)))
}

/** Day 0 of the two calendars. The first counts a day that did not exist, 1900-02-29. */
const DAY_0 = Date.UTC(1899, 11, 30)
const DAY_0_FROM_1904 = Date.UTC(1904, 0, 1)
const DAY_MS = 86_400_000
/** The day after 9999-12-31. */
const DAYS_MAX = 2_958_466

function showDate(days: number, from1904: boolean): string | undefined {
  if (days < 0 || days >= DAYS_MAX) return undefined
  const seconds = Math.round((days * DAY_MS) / 1000)
  const iso = new Date((from1904 ? DAY_0_FROM_1904 : DAY_0) + seconds * 1000).toISOString()
  const [day = '', time = ''] = iso.slice(0, 19).split('T')
  if (days < 1) return time
  return time === '00:00:00' ? day : `${day} ${time}`
}

/** Built-in number formats for dates and times (ECMA-376, part 1, 18.8.30), those of East Asian programs included. */
const DATE_FORMATS = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
] as const

export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return DATE_FORMATS.some(([from, to]) => id >= from && id <= to)
  if (/\[[hms]+\]/i.test(code)) return false // a duration
  // Without literal texts, colors and locales. Those that do not end include the rest, so that each character is read once.
  return /[dmyhs]/i.test(code.replace(/"[^"]*("|$)|\\.|_.|\*.|\[[^\]]*(\]|$)|general/gi, ''))
}
