import { createHash } from 'node:crypto'

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

/** An address in the names of counters. Redis contains no addresses. */
export function digest(email: string): string {
  return createHash('sha256').update(email.trim().toLowerCase()).digest('base64url').slice(0, 22)
}
