import { TEXT_UNITS_MAX } from './characters.ts'
import { type Address, parseAddress, writeDomain } from './parse.ts'

/**
 * Two texts with the same key are the same email to a customer: NFC, local part in lower case, domain in lower-case A-labels;
 * dots and tags are kept, since only the domain's owner knows what they mean there. The key of a key is itself.
 */
export function dedupeKey(text: string): string {
  // Nothing this long is an address, and no key of an address is this long.
  if (text.length > TEXT_UNITS_MAX) return text

  const address = parseAddress(text)
  if (address.kind === 'address') return keyOfAddress(address)
  // No address begins with a space, so these keys never meet those above; and it is trimmed off again by the next reading.
  const plain = text.trim().normalize('NFC')
  return ` ${toLower(plain, (lower) => parseAddress(lower).kind === 'malformed')}`
}

/** The same for an address that was parsed already. */
export function keyOfAddress({ local, domain }: Address): string {
  const written = writeDomain(domain)
  const lower = toLower(local, (lower) => parseAddress(`${lower}@${written}`).kind === 'address')
  return `${lower}@${written}`
}

/**
 * A few letters are longer or shorter in lower case (Ⱥ has two octets and ⱥ three, ẞ three and ß two). At the limit of a
 * local part that makes no address of one, or one of none. Such a text stays as it is, or the key of its key were another.
 */
function toLower(text: string, isStillTheSameKind: (lower: string) => boolean): string {
  const lower = text.toLowerCase().normalize('NFC')
  return lower === text || isStillTheSameKind(lower) ? lower : text
}
