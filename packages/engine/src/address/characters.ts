import type { MALFORMED_REASONS } from './data/malformed-reasons.ts'

/** Why a text is not an address, and the position of the error. */
export type Fault = { kind: 'malformed'; reason: FaultReason; at: number }

export type FaultReason = keyof typeof MALFORMED_REASONS

export function fault(reason: FaultReason, at: number): Fault {
  return { kind: 'malformed', reason, at }
}

/** Far above the maximum length of an address. A longer text is rejected before it is read, so the time for any text is limited. */
export const TEXT_UNITS_MAX = 1024

export const AT_SIGN = 0x40
export const BACKSLASH = 0x5c
export const DOT = 0x2e
export const HYPHEN = 0x2d
export const QUOTE = 0x22

const LETTERS_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** RFC 5322 §3.2.3: the ASCII characters of an atom. */
const ATOM = listCodes(`${LETTERS_AND_DIGITS}!#$%&'*+-/=?^_\`{|}~`)

/** RFC 5321 §4.1.2: the ASCII characters of a domain label. */
const LABEL = listCodes(`${LETTERS_AND_DIGITS}-`)

export function isAtomCharacter(code: number): boolean {
  return ATOM[code] === 1
}

export function isLabelCharacter(code: number): boolean {
  return LABEL[code] === 1
}

/** RFC 5321 §4.1.2: qtextSMTP and the characters allowed after a backslash are printable ASCII, including the space. */
export function isPrintableAscii(code: number): boolean {
  return code >= 0x20 && code <= 0x7e
}

/**
 * Why a character is not allowed outside quotes. Called for ASCII characters only after the grammar has rejected them. For non-ASCII
 * characters this function is the grammar, and it allows most of them.
 */
export function reasonAgainst(point: number): FaultReason | undefined {
  return point < 0x80 ? reasonAgainstAscii(point) : reasonAgainstUnicode(point)
}

function reasonAgainstAscii(code: number): FaultReason {
  if (code === 0x20 || code === 0x09) return 'folding_white_space'
  if (!isPrintableAscii(code)) return 'control_character'
  return code === 0x28 ? 'comment' : 'bad_character'
}

// RFC 6531 §3.3 allows every non-ASCII character in an address. We reject those that no real mailbox has and that only break lines, are
// invisible or imitate another address: control characters and the two separators that end a line,
const LINE_BREAKING = /[\p{Cc}\p{Zl}\p{Zp}]/u
// invisible characters and those that change the reading direction: format characters (soft hyphen, zero-width space, joiners, bidi
// controls, tags), variation selectors, fillers,
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u
// and, in addition to both, lone surrogates, private use, unassigned code points and spaces.
const REFUSED = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u

function reasonAgainstUnicode(point: number): FaultReason | undefined {
  const character = String.fromCodePoint(point)
  if (!REFUSED.test(character)) return undefined
  if (LINE_BREAKING.test(character)) return 'control_character'
  return INVISIBLE.test(character) ? 'invisible_character' : 'bad_character'
}

/** The number of UTF-8 octets of a text without lone surrogates. The limits of RFC 5321 are in octets. */
export function countOctets(text: string): number {
  let octets = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < 0x80) octets += 1
    else if (code < 0x800 || isSurrogate(code)) octets += 2
    else octets += 3
  }
  return octets
}

/** Each half of a pair counts as two of the pair's four octets. */
function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff
}

function listCodes(characters: string): Uint8Array {
  const codes = new Uint8Array(0x80)
  for (const character of characters) codes[character.charCodeAt(0)] = 1
  return codes
}
