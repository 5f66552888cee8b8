import { toASCII, toUnicode } from 'tr46'
import { DOT, type Fault, type FaultReason, fault, HYPHEN, isLabelCharacter, reasonAgainst } from './characters.ts'

/** `ascii` is in lower-case A-labels, `unicode` is for display. */
export type DomainName = { kind: 'name'; ascii: string; unicode: string }

/** RFC 1035 §2.3.4: 255 octets with a length before each label and a zero at the end, so 253 as text. */
const DOMAIN_LENGTH_MAX = 253

const LABEL_LENGTH_MAX = 63

/** Some scripts need joiners; UTS 46 checks the characters around them. */
const JOINERS = [0x200c, 0x200d]

/** Reads a domain from the character after the @ to the end (RFC 5321 §4.1.2, RFC 6531 §3.3). */
export function readDomainName(text: string, from: number): DomainName | Fault {
  const script = scanLabels(text, from)
  if (typeof script === 'object') return script

  const typed = text.slice(from)
  if (typed.length > 2 * DOMAIN_LENGTH_MAX) return fault('domain_too_long', from)
  const lower = typed.toLowerCase()
  const names = script === 'ascii' && !hasALabel(lower) ? { ascii: lower, unicode: lower } : toIdnaNames(typed)
  if (typeof names === 'string') return fault(names, from)

  const refusal = judgeLabels(names.ascii)
  // Positions in a mapped name differ from those in the typed one.
  if (refusal) return fault(refusal.reason, script === 'ascii' ? from + refusal.offset : from)
  return { kind: 'name', ...names }
}

/** Checks the characters, and that no label is empty. */
function scanLabels(text: string, from: number): 'ascii' | 'international' | Fault {
  let script: 'ascii' | 'international' = 'ascii'
  let labelStart = from
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (isLabelCharacter(code)) continue
    if (code > 0x7f) script = 'international'
    if (isDot(code)) {
      if (at === labelStart) return fault('label_empty', at)
      if (at - labelStart > LABEL_UNITS_MAX) return fault('label_too_long', labelStart)
      labelStart = at + 1
      continue
    }
    const point = text.codePointAt(at) ?? code
    const reason = JOINERS.includes(point) ? undefined : reasonAgainst(point)
    if (reason !== undefined) return fault(reason, at)
    if (point > 0xffff) at += 1
  }
  if (from === text.length) return fault('domain_empty', from)
  // RFC 5321 §4.1.2 does not allow a trailing dot: a domain in mail is always complete.
  if (labelStart === text.length) return fault('trailing_dot', labelStart - 1)
  return text.length - labelStart > LABEL_UNITS_MAX ? fault('label_too_long', labelStart) : script
}

function isDot(code: number): boolean {
  return code === DOT || (code > 0x7f && WIDE_DOTS.includes(String.fromCharCode(code)))
}

function hasALabel(lower: string): boolean {
  return lower.startsWith('xn--') || lower.includes('.xn--')
}

function judgeLabels(ascii: string): { reason: FaultReason; offset: number } | undefined {
  if (ascii.length > DOMAIN_LENGTH_MAX) return { reason: 'domain_too_long', offset: 0 }

  let start = 0
  for (;;) {
    const dot = ascii.indexOf('.', start)
    const reason = judgeLabel(ascii, start, dot === -1 ? ascii.length : dot)
    if (reason !== undefined) return { reason, offset: start }
    if (dot === -1) break
    start = dot + 1
  }
  if (start === 0) return { reason: 'single_label', offset: 0 }
  // RFC 3696 §2: no top-level domain is a number, so a domain cannot be mistaken for an IPv4 address.
  return /^[0-9]+$/.test(ascii.slice(start)) ? { reason: 'numeric_tld', offset: start } : undefined
}

/** RFC 5321 §4.1.2 for both ends; RFC 5890 §2.3.1 reserves hyphens in the third and fourth position for prefixes such as xn--. */
function judgeLabel(ascii: string, start: number, end: number): FaultReason | undefined {
  if (end - start > LABEL_LENGTH_MAX) return 'label_too_long'
  if (ascii.charCodeAt(start) === HYPHEN || ascii.charCodeAt(end - 1) === HYPHEN) return 'label_hyphen'
  return ascii.startsWith('--', start + 2) && !ascii.startsWith('xn--', start) ? 'label_hyphen' : undefined
}

/** `ascii` is the name in DNS queries, in lower-case A-labels; `unicode` is for display. */
type IdnaNames = { ascii: string; unicode: string }

/** UTS 46 with all checks and its mapping, for example of upper case and wide letters. */
const STRICT = {
  checkBidi: true,
  checkHyphens: true,
  checkJoiners: true,
  transitionalProcessing: false,
  useSTD3ASCIIRules: true,
}

/** UTS 46 §4 maps these to the dot, so they separate labels too. */
const WIDE_DOTS = '\u3002\uff0e\uff61'

const ANY_DOT = new RegExp(`[.${WIDE_DOTS}]`)

/**
 * Twice the maximum length of a label: 63 characters of two UTF-16 units each. Longer labels are rejected before UTS 46 and
 * punycode, whose time grows with the square of the length.
 */
const LABEL_UNITS_MAX = 2 * 63

/** Cached domains: twice as many as in the longest request, as typed and in A-labels. */
const REMEMBERED_MAX = 4_096
const remembered = new Map<string, ReturnType<typeof findIdnaNames>>()

/**
 * Both forms of a domain with non-ASCII characters or A-labels, or its fault. A request parses each address several times, as typed
 * and by its key; UTS 46, which takes most of the time, is applied once.
 */
function toIdnaNames(typed: string): ReturnType<typeof findIdnaNames> {
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
  // Mapping can lengthen a label: one ligature maps to eighteen letters.
  if (labels.some((label) => label.length > LABEL_UNITS_MAX)) return 'label_too_long'
  if (!labels.every(isIdna2008)) return 'bad_idna'

  const ascii = labels.map(toALabel)
  const isKept = ascii.every((label) => label !== null) && keepsALabels(typed.split(ANY_DOT), ascii)
  return isKept ? { ascii: ascii.join('.'), unicode } : 'bad_idna'
}

/** Without flags, because the whole domain was already checked with all of them. */
function toALabel(label: string): string | null {
  return /[^a-z0-9-]/.test(label) ? toASCII(label) : label
}

/**
 * UTS 46 allows symbols and emoji that IDNA 2008 forbids. This is the derivation of RFC 5892 §3 as far as UTS 46 does not include it (it
 * rejects unstable, unassigned and ignorable code points): letters, marks and digits (§2.1) with the exceptions (§2.6), without the
 * ignorable blocks (§2.4) and old Hangul jamo (§2.9). The rules for joiners are in UTS 46.
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
 * RFC 5890 §2.3.2.1: converting an A-label to a U-label and back leaves it unchanged. Otherwise DNS would be queried for another name
 * than the given one: punycode can encode a character as its two surrogates. And xn-- in wide letters is not an A-label.
 */
function keepsALabels(typed: string[], ascii: (string | null)[]): boolean {
  return typed.every((label, index) => {
    const isClaimed = label.normalize('NFKC').toLowerCase().startsWith('xn--')
    return !isClaimed || label.toLowerCase() === ascii[index]
  })
}

/** `address` is the canonical text of the IP address, without brackets or tag. */
export type AddressLiteral = { kind: 'literal'; family: 4 | 6; address: string }

/** The longest text of an IPv6 address, with its last four octets in IPv4 notation. */
const IP_LENGTH_MAX = 45

const IPV6_TAG = 'ipv6:'

/** RFC 5321 §4.1.3, from the opening bracket on. IPv6 is the only registered tag, so general literals are not supported. */
export function readAddressLiteral(text: string, from: number): AddressLiteral | Fault {
  const inside = text.slice(from + 1, -1)
  if (!text.endsWith(']') || inside.length > IPV6_TAG.length + IP_LENGTH_MAX) return fault('bad_literal', from)

  if (inside.slice(0, IPV6_TAG.length).toLowerCase() !== IPV6_TAG) {
    const octets = readIpv4(inside)
    return octets === undefined ? fault('bad_literal', from) : { kind: 'literal', family: 4, address: octets.join('.') }
  }
  const groups = readIpv6(inside.slice(IPV6_TAG.length))
  return groups === undefined ? fault('bad_literal', from) : { kind: 'literal', family: 6, address: writeIpv6(groups) }
}

function readIpv4(text: string): number[] | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every(isOctet)) return undefined
  return parts.map(Number)
}

/** The grammar allows 010, but parsers read it as ten or as eight (RFC 6943 §3.1.1), so it is rejected. */
function isOctet(text: string): boolean {
  return /^(?:0|[1-9][0-9]{0,2})$/.test(text) && Number(text) <= 255
}

/** The eight groups of an address in one of the forms of RFC 5321 §4.1.3. */
function readIpv6(text: string): number[] | undefined {
  const halves = text.split('::')
  const [before, after] = halves.map(readGroups)
  if (before === undefined) return undefined
  if (halves.length === 1) return before.length === 8 ? before : undefined

  // "::" replaces at least two groups and occurs once. An IPv4 tail is allowed only at the end of the address.
  if (halves.length > 2 || after === undefined || halves[0]?.includes('.')) return undefined
  const missing = 8 - before.length - after.length
  return missing >= 2 ? [...before, ...new Array<number>(missing).fill(0), ...after] : undefined
}

function readGroups(text: string): number[] | undefined {
  if (text === '') return []
  const parts = text.split(':')
  const tail = parts.at(-1)?.includes('.') ? readIpv4(parts.pop() ?? '') : []
  if (tail === undefined || !parts.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return undefined
  const [a = 0, b = 0, c = 0, d = 0] = tail
  const groups = parts.map((part) => Number.parseInt(part, 16))
  return tail.length === 0 ? groups : [...groups, a * 256 + b, c * 256 + d]
}

/** RFC 5952 §4 and §5: no leading zeros, lower case, the longest run of zeros as "::", mapped IPv4 with dots. */
function writeIpv6(groups: number[]): string {
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const octets = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff])
    return `::ffff:${octets.join('.')}`
  }
  const { start, length } = findLongestZeros(groups)
  const texts = groups.map((group) => group.toString(16))
  if (length < 2) return texts.join(':')
  return `${texts.slice(0, start).join(':')}::${texts.slice(start + length).join(':')}`
}

/** The first of the longest runs of zero groups. */
function findLongestZeros(groups: number[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 }
  let start = 0
  for (const [index, group] of groups.entries()) {
    if (group !== 0) start = index + 1
    else if (index + 1 - start > longest.length) longest = { start, length: index + 1 - start }
  }
  return longest
}
