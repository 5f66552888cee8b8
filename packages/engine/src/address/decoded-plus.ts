import { parseAddress } from './parse.ts'
import { suggest } from './suggest.ts'

/** One space in the local part and no other white space. */
const DECODED_PLUS = /^([^\s@]+) ([^\s@]+@[^\s@]+)$/

/**
 * The address of a query parameter in which a `+` was not encoded: in a query string it is decoded as a space (WHATWG URL Standard,
 * application/x-www-form-urlencoded), so `ada+x@…` arrives as `ada x@…`. Null if the text does not look like that.
 */
export function suggestDecodedPlus(email: string): string | null {
  const [, before, after] = DECODED_PLUS.exec(email.trim()) ?? []
  if (before === undefined) return null
  const address = parseAddress(`${before}+${after}`)
  return address.kind === 'address' ? (suggest(address) ?? address.text) : null
}
