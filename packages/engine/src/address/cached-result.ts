import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { keyOfAddress } from './dedupe-key.ts'
import { findAddress } from './find-address.ts'
import { type Address, type Malformed, parseAddress } from './parse.ts'
import { repairAddress } from './repair.ts'
import { suggest } from './suggest.ts'

/** The fields of `details` that contain the address or a part of it. */
type AddressParts = Pick<StoredResult['details'], 'canonical_email' | 'local_part' | 'tag' | 'domain_unicode'>

export function partsOf(address: Address | Malformed): AddressParts {
  if (address.kind === 'malformed') return { canonical_email: null, local_part: null, tag: null, domain_unicode: null }
  return {
    canonical_email: keyOfAddress(address),
    local_part: address.local,
    tag: address.tag,
    domain_unicode: address.domain.kind === 'name' ? address.domain.unicode : null,
  }
}

/**
 * The correction of a domain that looks mistyped. For a text that is not an address: the one in a display name, brackets or `mailto:`, or the
 * one that a repair certainly finds.
 */
export function suggestFor(email: string, address: Address | Malformed): string | null {
  if (address.kind === 'address') return suggest(address)
  const inside = findAddress(email) ?? repairAddress(email)
  return inside === undefined ? null : (suggest(inside.address) ?? inside.email)
}

/**
 * Replaced in a cached result by the fields derived from the address. JSON escapes quotation marks, so no value of a field can contain
 * it.
 */
const PARTS = '"parts":0'
const SUGGESTION = '"did_you_mean":0'

/**
 * A result as the cache stores it: JSON without the address and all that contains a part of it. `completeCached` adds them again, as
 * the address is typed in the request that uses the result.
 */
export function writeCached(id: string, { email: _, details, did_you_mean, ...rest }: StoredResult): string {
  const { canonical_email: _key, local_part: _local, tag: _tag, domain_unicode: _unicode, ...others } = details
  const suggestion = did_you_mean === null ? null : 0
  return JSON.stringify({ id, ...rest, did_you_mean: suggestion, details: { ...others, parts: 0 } })
}

/** The JSON of a cached result, without `email`, for an address with the same key. */
export function completeCached(text: string, email: string): string {
  const address = parseAddress(email)
  const whole = text.replace(PARTS, () => JSON.stringify(partsOf(address)).slice(1, -1))
  return whole.replace(SUGGESTION, () => `"did_you_mean":${JSON.stringify(suggestFor(email, address))}`)
}
