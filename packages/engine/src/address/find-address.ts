import { unwrapAddresses } from '@probity/contract/constants/text'
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
