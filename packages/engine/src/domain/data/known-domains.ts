/** The names with a known result that a resolver is checked with. */
export type ResolverNames = {
  /** A zone with a SOA record. */
  zone: string
  /** A name below which a random label does not exist. */
  absentBelow: string
  /** Domains with MX records: a response without one is wrong. */
  mailDomains: readonly string[]
}

/**
 * Large mail domains. Each has had MX records for at least ten years and is used by many millions of mailboxes, so every resolver of the
 * public internet knows them, and a response without MX records is a defect of the resolver. The table is short on purpose: a domain that
 * moves its mail, or that a country blocks, must not make a resolver look broken.
 */
const MAIL_DOMAINS = [
  'gmail.com',
  'outlook.com',
  'hotmail.com',
  'yahoo.com',
  'live.com',
  'msn.com',
  'icloud.com',
  'aol.com',
  'gmx.net',
  'web.de',
  'comcast.net',
  'orange.fr',
  'libero.it',
] as const

/** The names of the public internet. `org` is signed and in the cache of every resolver; `com` is the zone that resolvers most often rewrite. */
export const PUBLIC_NAMES: ResolverNames = { zone: 'org', absentBelow: 'com', mailDomains: MAIL_DOMAINS }
