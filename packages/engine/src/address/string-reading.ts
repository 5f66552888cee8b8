/** The longest local part that SMTP allows (RFC 5321 §4.5.3.1.1). The rest of a longer one is ignored. */
export const LENGTH_MAX = 64

/** A local part as the model reads it: lower case, without tag and quotes. Reused, so that scoring allocates nothing. */
export type Reading = { codes: Uint8Array; length: number; ascii: boolean }

export function newReading(): Reading {
  return { codes: new Uint8Array(LENGTH_MAX), length: 0, ascii: true }
}

const PLUS = 43
const QUOTE = 34
const BACKSLASH = 92

/** Reads a local part into `reading`. A plus at the beginning does not start a tag, because nothing would be left. */
export function readLocal(local: string, reading: Reading): void {
  reading.length = 0
  reading.ascii = true
  for (let at = 0; at < local.length; at += 1) {
    const code = local.charCodeAt(at)
    if (code > 127) {
      reading.ascii = false
      return
    }
    if (code === QUOTE || code === BACKSLASH) continue
    if (code === PLUS && reading.length > 0) return
    if (reading.length === LENGTH_MAX) continue
    reading.codes[reading.length] = code >= 65 && code <= 90 ? code + 32 : code
    reading.length += 1
  }
}

/** Character classes as bits, since a character has several: `a` is a letter, a vowel, hexadecimal and on the home row. */
export const LETTER = 1
export const VOWEL = 2
export const DIGIT = 4
export const SEPARATOR = 8
export const HEXADECIMAL = 16
export const HOME_ROW = 32

const KINDS = new Uint8Array(128)
mark('abcdefghijklmnopqrstuvwxyz', LETTER)
mark('aeiouy', VOWEL)
mark('0123456789', DIGIT)
mark('.-_', SEPARATOR)
mark('0123456789abcdef', HEXADECIMAL)
mark('asdfghjkl', HOME_ROW)

function mark(characters: string, kind: number): void {
  for (const character of characters) {
    const code = character.charCodeAt(0)
    KINDS[code] = (KINDS[code] ?? 0) | kind
  }
}

export function kindOf(code: number): number {
  return KINDS[code] ?? 0
}
