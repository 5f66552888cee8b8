import { TEXT_UNITS_MAX } from './characters.ts'
import { type Address, parseAddress, writeDomain } from './parse.ts'

/**
 * Two texts with the same key are the same email address to a customer: NFC, local part in lower case, domain in lower-case A-labels.
 * Dots and tags are kept, because only the domain's owner knows what they mean there. The key of a key is itself.
 */
export function dedupeKey(text: string): string {
  // No address begins with a space, so these keys never equal one of an address. A text of this length is not an address.
  if (text.length > TEXT_UNITS_MAX) return text.startsWith(' ') ? text : ` ${text}`

  const address = parseAddress(text)
  if (address.kind === 'address') return keyOfAddress(address)
  // The next call trims the space again.
  const plain = text.trim().normalize('NFC')
  return ` ${toLower(plain, (lower) => parseAddress(lower).kind === 'malformed')}`
}

/** The key of a parsed address. */
export function keyOfAddress({ local, domain }: Address): string {
  const written = writeDomain(domain)
  const lower = toLower(local, (lower) => parseAddress(`${lower}@${written}`).kind === 'address')
  return `${lower}@${written}`
}

/**
 * A few letters have more or fewer octets in lower case (Ⱥ has two and ⱥ three, ẞ three and ß two). At the length limit of a local part
 * this can make an address invalid, or an invalid text an address. Such a text is kept as it is; otherwise its key would have another
 * key.
 */
function toLower(text: string, isStillTheSameKind: (lower: string) => boolean): string {
  const lower = text.toLowerCase().normalize('NFC')
  return lower === text || isStillTheSameKind(lower) ? lower : text
}
