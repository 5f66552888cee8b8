/** A large provider whose mail hosts are contacted to test whether mail servers can be reached. */
export type ReferenceHost = {
  /** Its id in the table of providers. */
  provider: string
  /** Domain whose MX records name its mail hosts. */
  domain: string
  /** Domains of the host names in its greetings. */
  greetsAs: string[]
  why: string
}

/**
 * Several providers in different networks: one may be down or block our IP address, but not all at once. Five connections per hour
 * are negligible for them.
 */
export const REFERENCE_HOSTS: ReferenceHost[] = [
  {
    provider: 'google',
    domain: 'gmail.com',
    greetsAs: ['google.com'],
    why: 'The largest provider. Sends its greeting to every IP address and rejects only later.',
  },
  {
    provider: 'microsoft',
    domain: 'outlook.com',
    greetsAs: ['outlook.com'],
    why: 'The second largest provider. Rejects IP addresses with a poor reputation at MAIL, so its greeting shows whether the network path works.',
  },
  {
    provider: 'yahoo',
    domain: 'yahoo.com',
    greetsAs: ['yahoo.com', 'yahoodns.net'],
    why: 'A third network. Its hosts are named under yahoodns.net and greet as yahoo.com.',
  },
  {
    provider: 'gmx',
    domain: 'gmx.net',
    greetsAs: ['gmx.net'],
    why: 'In Europe, to distinguish a failed intercontinental route from a blocked port. Rejects some networks in its greeting.',
  },
  {
    provider: 'fastmail',
    domain: 'fastmail.com',
    greetsAs: ['messagingengine.com'],
    why: 'Small enough not to be on exception lists: detects networks that allow port 25 only to large providers.',
  },
]
