import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { parseAddress } from '@probity/engine/address/parse'

/** Anything would do: it only makes an address of a domain, so that both are read by the same rules. */
const SOMEBODY = 'somebody'

/** An entry as it is compared: an address by its key, a domain as its addresses end. Undefined where it is neither. */
export function readEntry(text: string): string | undefined {
  const plain = text.trim()
  if (plain.slice(1).includes('@')) return keyOf(plain)
  const domain = plain.startsWith('@') ? plain.slice(1) : plain
  const address = parseAddress(`${SOMEBODY}@${domain}`)
  if (address.kind !== 'address' || address.domain.kind !== 'name') return undefined
  return keyOf(`${SOMEBODY}@${domain}`)?.slice(SOMEBODY.length + 1)
}

/** What is no address has a key that begins with a space. */
function keyOf(text: string): string | undefined {
  const key = dedupeKey(text)
  return key.startsWith(' ') || parseAddress(text).kind !== 'address' ? undefined : key
}
