import { unwrapAddresses } from '@probity/contract/address-text'
import { parseAddress } from './parse.ts'

/**
 * The address that a text is, or that it wraps in a display name, brackets or a `mailto:` URI; the first one where it holds several.
 * A text that is an address as a whole stays as it is.
 */
export function findAddress(text: string): string | undefined {
  const isAddress = (candidate: string) => parseAddress(candidate).kind === 'address'
  const whole = text.trim()
  return isAddress(whole) ? whole : unwrapAddresses(whole).find(isAddress)
}
