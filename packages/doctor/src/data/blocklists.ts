/** A block list that is asked by DNS (RFC 5782): an address is listed where its name in the zone has an address record. */
export type Blocklist = {
  zone: string
  name: string
  /** Answers that say "we do not answer you", and why. Everything else in 127.0.0.0/8 is a listing. */
  refusals: Record<string, string>
  /** Where a listed address can be looked up and taken off. */
  removal: string
  /** Whether being on it is a fault, or worth a look: few servers turn everybody away who is on a list of the second kind. */
  weight: 'fail' | 'warn'
}

const PUBLIC_RESOLVER = 'it does not answer public resolvers'
const TOO_MANY = 'too much was asked of it from here'
const TYPING_ERROR = 'it does not know the zone that was asked'

/**
 * Few, and those that mail servers use. 127.255.255.252, .254 and .255 are no listings but errors
 * (https://www.spamhaus.org/news/article/788, and the zone files of the others): whoever reads them as listings finds every address listed.
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
