import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { partsOf, suggestFor } from '@probity/engine/address/cached-result'
import { parseAddress } from '@probity/engine/address/parse'
import { isRole } from '@probity/engine/address/role'
import { FREE, RELAYS, registrableDomain } from '@probity/engine/address/shared-domains'

/** A result of an address that no worker has validated yet, with the findings about its text, which need no worker. */
export function addTextFindings(result: StoredResult): StoredResult {
  const { email, details, flags } = result
  const address = parseAddress(email)
  const found = { ...result, did_you_mean: suggestFor(email, address) }
  if (address.kind === 'malformed') return found
  const domain = address.domain.kind === 'name' ? address.domain.ascii : ''
  const name = domain.toLowerCase()
  return {
    ...found,
    details: { ...details, syntax_valid: true, domain, is_role_based: isRole(address), ...partsOf(address) },
    flags: {
      ...flags,
      is_free: FREE.has(name),
      is_privacy_relay: RELAYS.has(name) || RELAYS.has(registrableDomain(name)),
      is_tagged: address.tag !== null,
    },
  }
}
