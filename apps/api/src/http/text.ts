import { createHash } from 'node:crypto'
import { EMAIL_LENGTH_MAX } from '@probity/contract/constants/limits'

/**
 * Replaces characters that PostgreSQL cannot store: NUL and lone surrogates. Their replacement is also a control character, so the text
 * remains an invalid address.
 */
export function storable(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, '\u0001')
}

/** An address as it is stored. Of a longer text, which is no address: the beginning, and a hash that keeps different texts apart. */
export function storableEmail(text: string): string {
  if (text.length <= EMAIL_LENGTH_MAX) return storable(text)
  const hash = createHash('sha256').update(text).digest('hex')
  return `${storable(text.slice(0, EMAIL_LENGTH_MAX))}…${hash}`
}

const UNSTORABLE = /\0|\p{Surrogate}/u

export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text)
}
