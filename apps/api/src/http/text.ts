/**
 * Replaces characters that PostgreSQL cannot store: NUL and lone surrogates. Their replacement is also a control character, so the text
 * remains an invalid address.
 */
export function storable(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, '\u0001')
}

const UNSTORABLE = /\0|\p{Surrogate}/u

export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text)
}
