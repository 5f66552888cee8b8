import type { MALFORMED_REASONS } from './data/malformed-reasons.ts'

/** Why a text is not an address, and the position of the error. */
export type Fault = { kind: 'malformed'; reason: FaultReason; at: number }

export type FaultReason = keyof typeof MALFORMED_REASONS

export function fault(reason: FaultReason, at: number): Fault {
  return { kind: 'malformed', reason, at }
}

/** Far above what an address may have. Beyond it nothing is even looked at, so the work for any text has a bound. */
export const TEXT_UNITS_MAX = 1024

export const AT_SIGN = 0x40
export const BACKSLASH = 0x5c
export const DOT = 0x2e
export const HYPHEN = 0x2d
export const QUOTE = 0x22

const LETTERS_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** RFC 5322 §3.2.3: what an atom may be made of. */
const ATOM = listCodes(`${LETTERS_AND_DIGITS}!#$%&'*+-/=?^_\`{|}~`)

/** RFC 5321 §4.1.2: what a label of a domain may be made of. */
const LABEL = listCodes(`${LETTERS_AND_DIGITS}-`)

export function isAtomCharacter(code: number): boolean {
  return ATOM[code] === 1
}

export function isLabelCharacter(code: number): boolean {
  return LABEL[code] === 1
}

/** RFC 5321 §4.1.2: qtextSMTP and what a backslash may stand before are printable ASCII, the space included. */
export function isPrintableAscii(code: number): boolean {
  return code >= 0x20 && code <= 0x7e
}

/**
 * Why a character cannot stand outside quotes. To be asked about ASCII only where the grammar has already said no; beyond
 * ASCII it is the grammar, and most characters pass.
 */
export function reasonAgainst(point: number): FaultReason | undefined {
  return point < 0x80 ? reasonAgainstAscii(point) : reasonAgainstUnicode(point)
}

function reasonAgainstAscii(code: number): FaultReason {
  if (code === 0x20 || code === 0x09) return 'folding_white_space'
  if (!isPrintableAscii(code)) return 'control_character'
  return code === 0x28 ? 'comment' : 'bad_character'
}

// RFC 6531 §3.3 lets every character beyond ASCII into an address. We take out those that no mailbox of a person has and
// that only serve to break lines, to hide, or to look like another address:
// control characters and the two separators that end a line,
const LINE_BREAKING = /[\p{Cc}\p{Zl}\p{Zp}]/u
// what is drawn as nothing or turns the reading direction: format characters (soft hyphen, zero-width space, joiners,
// bidi controls, tags), variation selectors, fillers,
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u
// and, with both of these, lone surrogates, private use, code points without a character, and spaces.
const REFUSED = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u

function reasonAgainstUnicode(point: number): FaultReason | undefined {
  const character = String.fromCodePoint(point)
  if (!REFUSED.test(character)) return undefined
  if (LINE_BREAKING.test(character)) return 'control_character'
  return INVISIBLE.test(character) ? 'invisible_character' : 'bad_character'
}

/** How many octets a text without lone surrogates has in UTF-8, which is what the limits of RFC 5321 count. */
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

/** Each half of a pair stands for two of the pair's four octets. */
function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff
}

function listCodes(characters: string): Uint8Array {
  const codes = new Uint8Array(0x80)
  for (const character of characters) codes[character.charCodeAt(0)] = 1
  return codes
}
