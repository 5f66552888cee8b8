import { findAddresses, splitCell } from '@probity/contract/constants/text'
import { dedupeKey } from './dedupe-key.ts'
import { parseAddress } from './parse.ts'
import { mayNeedRepair, repairAddress, simplifyText } from './repair.ts'

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
    if (!text.includes('@') && !text.includes('%40') && !mayNeedRepair(text)) return false
    const simple = simplifyText(text)
    if (probe !== '@' && !simple.toLowerCase().includes(probe)) return false
    if (is(text)) return true
    // The whole text is another address, so a part of it is not an address of its own.
    if (parseAddress(text).kind === 'address') return false
    return findAddresses(text).some(is) || exact.test(text.normalize('NFC')) || splitCell(simple).some(isRepaired)
  }

  /** Uploads read a malformed spelling of an address as the address. */
  function isRepaired(part: string): boolean {
    const repaired = repairAddress(part)
    return is(repaired?.email ?? part)
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
