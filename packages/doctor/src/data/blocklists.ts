/** A DNSBL (RFC 5782): an address is listed if its name in the zone has an address record. */
export type Blocklist = {
  zone: string
  name: string
  /** Responses that report an error, with the reason. Every other record in 127.0.0.0/8 is a listing. */
  refusals: Record<string, string>
  /** The page to look up and delist an address. */
  removal: string
  /** Severity of a listing: `warn` for DNSBLs that few mail servers use to reject connections. */
  weight: 'fail' | 'warn'
}

const PUBLIC_RESOLVER = 'it does not respond to public resolvers'
const TOO_MANY = 'the query limit was exceeded'
const TYPING_ERROR = 'it does not know the queried zone'

/**
 * A few DNSBLs that mail servers use. 127.255.255.252, .254 and .255 are errors, not listings
 * (https://www.spamhaus.org/news/article/788, and the zone files of the others).
 */
export const BLOCKLISTS: Blocklist[] = [
  {
    zone: 'zen.spamhaus.org',
    name: 'Spamhaus ZEN',
    refusals: {
      '127.255.255.252': TYPING_ERROR,
      '127.255.255.254': PUBLIC_RESOLVER,
      '127.255.255.255': TOO_MANY,
    },
    removal: 'https://check.spamhaus.org/',
    weight: 'fail',
  },
  {
    zone: 'b.barracudacentral.org',
    name: 'Barracuda',
    refusals: { '127.255.255.255': TOO_MANY },
    removal: 'https://www.barracudacentral.org/rbl/removal-request',
    weight: 'fail',
  },
  {
    zone: 'bl.spamcop.net',
    name: 'SpamCop',
    refusals: { '127.255.255.255': TOO_MANY },
    removal: 'https://www.spamcop.net/bl.shtml',
    weight: 'fail',
  },
  {
    zone: 'psbl.surriel.com',
    name: 'PSBL',
    refusals: {},
    removal: 'https://psbl.org/remove',
    weight: 'warn',
  },
]
