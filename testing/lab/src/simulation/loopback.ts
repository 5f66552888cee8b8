import type { SiteName } from './data/sites.ts'
import { behaviourOf, type SimulatedDomain, siteOf } from './domains.ts'

/** The IP addresses of a simulation. All of them are within `base`/16. */
export type Loopback = {
  /** One for each running mail host, named after the first host that has its address. */
  listeners: { site: SiteName; address: string; mailHost: string }[]
  /** The address of a mail host, always the same. */
  addressOf(host: string): string
  /** Web sites of the domains. No process listens there. */
  web: string
}

/**
 * Limit for listeners, because each listener and each connection is an open file. A common limit per process is 20,000.
 */
const LISTENERS_MAX = 8_000
/** Within a separate /16 from those of listeners. */
const CLOSED_MAX = 50_000
const ADDRESSES_PER_BYTE = 250

/**
 * Gives each mail host of the domains an address of its own, so that a limit per address concerns one host, as on the internet. In
 * simulations of more than 8,000 running hosts, later hosts share the addresses of earlier ones of the same site. `base` is the first two
 * bytes, as in `127.77`.
 */
export function layOut(base: string, domains: SimulatedDomain[]): Loopback {
  const addresses = new Map<string, string>()
  const listeners: Loopback['listeners'] = []
  const bySite = new Map<SiteName, string[]>()
  let used = 0
  const nextAddress = () => {
    used += 1
    return `${base}.${Math.floor(used / ADDRESSES_PER_BYTE)}.${1 + (used % ADDRESSES_PER_BYTE)}`
  }
  const place = (site: SiteName, mailHost: string): string => {
    const own = bySite.get(site) ?? []
    bySite.set(site, own)
    if (own.length > 0 && listeners.length >= LISTENERS_MAX) return own[addresses.size % own.length] as string
    const address = nextAddress()
    own.push(address)
    listeners.push({ site, address, mailHost })
    return address
  }
  // No process listens at the address of a closed host.
  let closed = ''
  const placeClosed = (): string => {
    if (used < LISTENERS_MAX + CLOSED_MAX) closed = nextAddress()
    return closed
  }
  for (const { name, site } of domains.flatMap(listHosts)) {
    if (!addresses.has(name)) addresses.set(name, site === null ? placeClosed() : place(site, name))
  }
  return {
    listeners,
    addressOf(host) {
      const address = addresses.get(host)
      if (address === undefined) throw new Error(`${host} has no address in this simulation`)
      return address
    },
    web: `${base}.255.80`,
  }
}

/** Hosts with an IPv4 address on loopback, and the site whose servers run there; null when none run. */
function listHosts(domain: SimulatedDomain): { name: string; site: SiteName | null }[] {
  const { dns = 'mx' } = behaviourOf(domain)
  if (dns === 'address') return [{ name: domain.name, site: domain.site }]
  if (dns === 'parked') return [{ name: domain.name, site: null }]
  if (dns !== 'mx') return []
  return domain.hosts
    .filter(({ where }) => where === 'site' || where === 'closed')
    .map((host) => ({ name: host.name, site: siteOf(domain, host) }))
}
