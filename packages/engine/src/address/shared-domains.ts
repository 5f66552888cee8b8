import common from 'email-providers/common.json' with { type: 'json' }
import { getDomain } from 'tldts'
import { FREE_ADDED, NOT_FREE } from './data/free-providers.ts'
import { PRIVACY_RELAYS } from './data/privacy-relays.ts'
import { parseAddress } from './parse.ts'

const NO_PROVIDERS: ReadonlySet<string> = new Set(NOT_FREE)

/** Free email providers: the published list without its errors, and our additions. */
export const FREE: ReadonlySet<string> = new Set([
  ...common.filter((domain) => !NO_PROVIDERS.has(domain)),
  ...FREE_ADDED,
])
export const RELAYS: ReadonlySet<string> = new Set(Object.keys(PRIVACY_RELAYS))

/** Whether unrelated users have mailboxes at a domain: a free email provider or a privacy relay. `domain` is in lower case. */
export function isSharedDomain(domain: string): boolean {
  return FREE.has(domain) || RELAYS.has(domain) || RELAYS.has(registrableDomain(domain))
}

/** The registrable domain of a name, below the public suffix; the name itself if it has none. */
export function registrableDomain(domain: string): string {
  return getDomain(domain, { allowPrivateDomains: true }) ?? domain
}

/** The domain of an address in A-labels and lower case; empty if the text has none. */
export function domainOf(email: string): string {
  const address = parseAddress(email)
  return address.kind === 'address' && address.domain.kind === 'name' ? address.domain.ascii.toLowerCase() : ''
}

/** The registrable domain whose owner has the mailboxes of a domain; empty for shared domains and the empty name. */
export function ownerOf(domain: string, isShared: (domain: string) => boolean = isSharedDomain): string {
  return domain === '' || isShared(domain) ? '' : registrableDomain(domain)
}

/** Adds up addresses per registrable domain, for the daily limit per domain. Shared domains and the empty name are left out. */
export function countByOwner(
  addresses: Iterable<readonly [domain: string, count: number]>,
  isShared: (domain: string) => boolean = isSharedDomain,
): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [domain, count] of addresses) {
    const owner = ownerOf(domain, isShared)
    if (owner !== '') counts.set(owner, (counts.get(owner) ?? 0) + count)
  }
  return counts
}
