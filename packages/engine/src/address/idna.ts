import { toASCII, toUnicode } from 'tr46'

/** `ascii` is what DNS is asked for, in lower-case A-labels; `unicode` is what people read. */
export type IdnaNames = { ascii: string; unicode: string }

/** UTS 46 at its strictest, with its mapping: upper case, wide letters and the like become what they stand for. */
const STRICT = {
  checkBidi: true,
  checkHyphens: true,
  checkJoiners: true,
  transitionalProcessing: false,
  useSTD3ASCIIRules: true,
}

/** UTS 46 §4 maps these to the dot, so they too stand between labels. */
export const WIDE_DOTS = '\u3002\uff0e\uff61'

const ANY_DOT = new RegExp(`[.${WIDE_DOTS}]`)

/**
 * Twice what a label has at most: its 63 characters, were each of them a pair of UTF-16 units. What is longer is turned away
 * before UTS 46 and punycode see it, whose time grows with the square of a label's length.
 */
export const LABEL_UNITS_MAX = 2 * 63

/** Domains whose names are remembered: those of the longest request, as typed and in A-labels, twice over. */
const REMEMBERED_MAX = 4_096
const remembered = new Map<string, ReturnType<typeof findIdnaNames>>()

/**
 * Both forms of a domain that has non-ASCII characters or A-labels in it, or what is wrong with it. A request reads each of its addresses
 * several times, as typed and by its key; UTS 46, which takes most of the time of a reading, is applied once.
 */
export function toIdnaNames(typed: string): ReturnType<typeof findIdnaNames> {
  const known = remembered.get(typed)
  if (known !== undefined) return known
  const names = findIdnaNames(typed)
  if (remembered.size >= REMEMBERED_MAX) remembered.clear()
  remembered.set(typed, names)
  if (typeof names === 'object') remembered.set(names.ascii, names)
  return names
}

function findIdnaNames(typed: string): IdnaNames | 'bad_idna' | 'label_too_long' {
  const { domain: unicode, error } = toUnicode(typed, STRICT)
  if (error) return 'bad_idna'

  const labels = unicode.split('.')
  // Mapping may lengthen: one ligature stands for eighteen letters.
  if (labels.some((label) => label.length > LABEL_UNITS_MAX)) return 'label_too_long'
  if (!labels.every(isIdna2008)) return 'bad_idna'

  const ascii = labels.map(toALabel)
  const isKept = ascii.every((label) => label !== null) && keepsALabels(typed.split(ANY_DOT), ascii)
  return isKept ? { ascii: ascii.join('.'), unicode } : 'bad_idna'
}

/** Without flags: the whole domain has already been judged with all of them. */
function toALabel(label: string): string | null {
  return /[^a-z0-9-]/.test(label) ? toASCII(label) : label
}

/**
 * UTS 46 lets symbols and emoji pass that IDNA 2008 forbids. This is the derivation of RFC 5892 §3 as far as UTS 46 has
 * not already made it (it refuses what is unstable, unassigned or ignorable): letters, marks and digits (§2.1) with the
 * exceptions (§2.6), less the ignorable blocks (§2.4) and old Hangul jamo (§2.9). The joiners' own rules are in UTS 46.
 */
const PERMITTED =
  /^[[\-\p{Ll}\p{Lu}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}\u06FD\u06FE\u0F0B\u3007\u00B7\u0375\u05F3\u05F4\u30FB\u200C\u200D]--[\u0640\u07FA\u302E\u302F\u3031-\u3035\u303B\u20D0-\u20FF\u{1D100}-\u{1D24F}\u1100-\u11FF\uA960-\uA97F\uD7B0-\uD7FF]]+$/v

/** RFC 5892 A.3 to A.6: a middle dot between two l, a Greek keraia before Greek, geresh and gershayim after Hebrew. */
const OUT_OF_PLACE = [
  /(?<!l)\u00B7|\u00B7(?!l)/u,
  /\u0375(?!\p{Script=Greek})/u,
  /(?<!\p{Script=Hebrew})[\u05F3\u05F4]/u,
]

const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u

function isIdna2008(label: string): boolean {
  if (!PERMITTED.test(label) || OUT_OF_PLACE.some((rule) => rule.test(label))) return false
  // RFC 5892 A.7: a katakana middle dot needs Japanese around it. A.8 and A.9: the two kinds of Arabic digits do not mix.
  if (label.includes('\u30FB') && !JAPANESE.test(label)) return false
  return !(/[\u0660-\u0669]/.test(label) && /[\u06F0-\u06F9]/.test(label))
}

/**
 * RFC 5890 §2.3.2.1: an A-label comes back unchanged from its U-label. One that does not would have us ask DNS for another
 * name than we were given: punycode can spell a character by its two surrogates. And xn-- in wide letters is no A-label.
 */
function keepsALabels(typed: string[], ascii: (string | null)[]): boolean {
  return typed.every((label, index) => {
    const isClaimed = label.normalize('NFKC').toLowerCase().startsWith('xn--')
    return !isClaimed || label.toLowerCase() === ascii[index]
  })
}
