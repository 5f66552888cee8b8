import { findAddresses, unwrapAddresses } from '@probity/contract/constants/text'
import { dedupeKey } from './dedupe-key.ts'
import { type Address, parseAddress } from './parse.ts'

/** `email` is the text of the address as it was found. */
type FoundAddress = { email: string; address: Address }

/**
 * The address in a text: the text itself, or the content of a display name, brackets or a `mailto:` URI; the first of several. A text
 * that is an address as a whole is returned unchanged.
 */
export function findAddress(text: string): FoundAddress | undefined {
  const whole = text.trim()
  return readAddress(whole) ?? firstOf(unwrapAddresses(whole))
}

function firstOf(candidates: string[]): FoundAddress | undefined {
  for (const candidate of candidates) {
    const found = readAddress(candidate)
    if (found) return found
  }
  return undefined
}

function readAddress(email: string): FoundAddress | undefined {
  const address = parseAddress(email)
  return address.kind === 'address' ? { email, address } : undefined
}

/** Recognizes one address in addresses, cells and texts. */
export type AddressMatcher = {
  /** The dedupe key of the address. Texts with the same key are the same address. */
  key: string
  /** Lower-case text that every text with the address has, in any spelling. For a quick search before the exact one. */
  probe: string
  /** Whether the text is the address. */
  is(text: string): boolean
  /** Whether the text is the address or contains it, for example in a display name or a sentence. */
  isIn(text: string): boolean
  /** Whether a string anywhere in a JSON value contains the address. */
  isInJson(value: unknown): boolean
}

/** A local part that is in lower case in its key and needs no quotes. */
const PLAIN_KEY = /^([a-z0-9.!#$%&'*+/=?^_`{|}~-]+)@/

export function openAddressMatcher(email: string): AddressMatcher {
  const key = dedupeKey(email)
  const is = (text: string) => dedupeKey(text) === key
  const exact = exactPattern(key.trim())
  const probe = PLAIN_KEY.exec(key)?.[1] ?? '@'

  function isIn(text: string): boolean {
    if (!text.includes('@') && !text.includes('%40')) return false
    if (probe !== '@' && !text.toLowerCase().includes(probe)) return false
    if (is(text)) return true
    // The whole text is another address, so a part of it is not an address of its own.
    if (parseAddress(text).kind === 'address') return false
    return findAddresses(text).some(is) || exact.test(text.normalize('NFC'))
  }

  function isInJson(value: unknown): boolean {
    if (typeof value === 'string') return isIn(value)
    if (typeof value !== 'object' || value === null) return false
    return Object.values(value).some(isInJson)
  }

  return { key, probe, is, isIn, isInJson }
}

/** The key in a text of any length, where no character next to it makes it a part of another address. */
function exactPattern(key: string): RegExp {
  const literal = key.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}.!#$%&'*+/=?^_\`{|}~\\-])${literal}(?![\\p{L}\\p{N}\\-]|\\.[\\p{L}\\p{N}])`, 'iu')
}
