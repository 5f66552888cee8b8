import {
  AT_SIGN,
  BACKSLASH,
  countOctets,
  DOT,
  type Fault,
  type FaultReason,
  fault,
  isAtomCharacter,
  isPrintableAscii,
  QUOTE,
  reasonAgainst,
} from './characters.ts'

/** RFC 5321 §4.5.3.1.1. */
const LOCAL_OCTETS_MAX = 64

/** `local` is the local part with the fewest quotes; `octets` is its length, `end` the position of the @. */
export type LocalPart = { kind: 'local'; local: string; octets: number; quoted: boolean; end: number }

/** Reads up to the @: a dot-atom or a quoted string (RFC 5321 §4.1.2), with UTF-8 in both (RFC 6531 §3.3). */
export function readLocalPart(text: string): LocalPart | Fault {
  const found = text.charCodeAt(0) === QUOTE ? readQuotedString(text) : readDotAtom(text)
  // The limit applies to the local part as it is sent. Unnecessary quotes and backslashes are not sent, so they do not count.
  if (found.kind === 'local' && found.octets > LOCAL_OCTETS_MAX) return fault('local_too_long', 0)
  return found
}

function readDotAtom(text: string): LocalPart | Fault {
  const end = scanDotAtom(text)
  if (typeof end === 'object') return end
  if (startsWithMark(text)) return fault('bad_character', 0)
  return describe(text.slice(0, end), false, end)
}

/** The end of the dot-atom: the position of the @, or the end of the text. */
function scanDotAtom(text: string): number | Fault {
  let atomStart = 0
  let at = 0
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (isAtomCharacter(code)) continue
    if (code === AT_SIGN) break
    if (code === DOT) {
      if (at === atomStart) return fault(at === 0 ? 'leading_dot' : 'double_dot', at)
      atomStart = at + 1
      continue
    }
    const point = text.codePointAt(at) ?? code
    const reason = reasonAgainst(point)
    if (reason !== undefined) return fault(reason, at)
    if (point > 0xffff) at += 1
  }
  if (at === 0) return fault('local_empty', 0)
  return at === atomStart ? fault('trailing_dot', at - 1) : at
}

function readQuotedString(text: string): LocalPart | Fault {
  let content = ''
  let at = 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    const escaped = text.charCodeAt(at) === BACKSLASH
    const point = text.codePointAt(escaped ? at + 1 : at)
    if (point === undefined) return fault('unclosed_quote', 0)
    const reason = reasonAgainstInQuotes(point, escaped)
    if (reason !== undefined) return fault(reason, at)
    content += String.fromCodePoint(point)
    at += (escaped ? 1 : 0) + (point > 0xffff ? 2 : 1)
  }
  if (at >= text.length) return fault('unclosed_quote', 0)

  // RFC 5322 §4.4 allows local parts of several words, some of them quoted. RFC 5321 does not, so they cannot be sent.
  const end = at + 1
  if (end === text.length) return fault('no_at', end)
  if (text.charCodeAt(end) !== AT_SIGN) return fault('text_after_quote', end)
  if (startsWithMark(content)) return fault('bad_character', 1)
  return withFewestQuotes(content, end)
}

/** RFC 6531 §3.3 allows UTF-8 between the quotes, but not after a backslash. */
function reasonAgainstInQuotes(point: number, escaped: boolean): FaultReason | undefined {
  if (isPrintableAscii(point)) return undefined
  if (point < 0x80) return 'control_character'
  return reasonAgainst(point) ?? (escaped ? 'bad_character' : undefined)
}

/**
 * RFC 5321 §4.1.2 requires the form with the fewest quotes; with and without unnecessary quotes a local part is the same mailbox. So a
 * dot-atom is written without quotes, and only a quotation mark and a backslash are escaped.
 */
function withFewestQuotes(content: string, end: number): LocalPart {
  if (scanDotAtom(content) === content.length) return describe(content, false, end)
  return describe(`"${content.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`, true, end)
}

function describe(local: string, quoted: boolean, end: number): LocalPart {
  return { kind: 'local', local, octets: countOctets(local), quoted, end }
}

/**
 * A combining mark at the beginning is drawn over the character before the address, and the next normalization may merge both: with the <
 * of an SMTP command, U+0338 becomes ≮.
 */
function startsWithMark(text: string): boolean {
  return text.charCodeAt(0) > 0x7f && /^\p{M}/u.test(text)
}
