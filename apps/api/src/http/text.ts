/**
 * A text as PostgreSQL can keep it. It takes neither NUL nor half a surrogate pair; another control character in their place
 * keeps the text what it was: no address.
 */
export function storable(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, '\u0001')
}

const UNSTORABLE = /\0|\p{Surrogate}/u

export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text)
}
