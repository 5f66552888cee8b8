import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { parseAddress } from '@probity/engine/address/parse'

/** Any local part works: it turns a domain into an address, so that both are parsed by the same rules. */
const LOCAL_PART = 'any'

/** A target as it is compared: an address by its key, a domain in the form that keys of its addresses have. Undefined if it is neither. */
export function readTarget(text: string): string | undefined {
  const plain = text.trim()
  if (plain.slice(1).includes('@')) return keyOf(plain)
  const domain = plain.startsWith('@') ? plain.slice(1) : plain
  const address = parseAddress(`${LOCAL_PART}@${domain}`)
  if (address.kind !== 'address' || address.domain.kind !== 'name') return undefined
  return keyOf(`${LOCAL_PART}@${domain}`)?.slice(LOCAL_PART.length + 1)
}

/** The key of a text that is no address begins with a space. */
function keyOf(text: string): string | undefined {
  const key = dedupeKey(text)
  return key.startsWith(' ') || parseAddress(text).kind !== 'address' ? undefined : key
}
