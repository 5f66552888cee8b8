import { SITES, type SiteName } from './data/sites.ts'
import { hashText } from './random.ts'

/** Where on loopback everything is. Nothing of the world has an address outside of `base`/16. */
export type Loopback = {
  listeners: { site: SiteName; address: string }[]
  /** The address of a mail host, always the same. */
  addressOf(host: string, site: SiteName): string
  /** Web sites of the domains. Nobody listens there for mail. */
  web: string
  /** What used to be a mail host. */
  closed: string
}

/** `base` is the first two bytes, as in `127.77`. */
export function layOut(base: string): Loopback {
  const sites = Object.keys(SITES) as SiteName[]
  const listeners = sites.flatMap((site, n) =>
    Array.from({ length: SITES[site].listeners }, (_, nth) => ({ site, address: `${base}.${n + 1}.${nth + 1}` })),
  )
  return {
    listeners,
    addressOf: (host, site) => `${base}.${sites.indexOf(site) + 1}.${(hashText(host) % SITES[site].listeners) + 1}`,
    web: `${base}.254.80`,
    closed: `${base}.255.25`,
  }
}
