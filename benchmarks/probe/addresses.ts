import { openRandom } from '@probity/lab/simulation/random'

/** An address, and whether its mailbox exists. */
export type Known = { email: string; exists: boolean }

export const LARGE_DOMAIN = 'large.example'
const LARGE_DOMAIN_MAILBOXES = 2_000

export const SMALL_DOMAINS = Array.from({ length: 20 }, (_, n) => `small-${n + 1}.example`)
const SMALL_DOMAIN_MAILBOXES = 250

type ListOptions = { size: number; badShare: number; seed: number }

/** Addresses of a domain, a share of which do not exist, in an order that depends on the seed only. */
export function listKnown(domain: string, { size, badShare, seed }: ListOptions): Known[] {
  const bad = Math.round(size * badShare)
  const list = Array.from({ length: size }, (_, n) => ({
    email: n < bad ? `nobody-${n}@${domain}` : `person-${n}@${domain}`,
    exists: n >= bad,
  }))
  openRandom(seed).shuffle(list)
  return list
}

/** All existing mailboxes. */
export function listMailboxes(): string[] {
  const listAll = (domain: string, size: number) => listKnown(domain, { size, badShare: 0, seed: 0 })
  const known = [
    ...listAll(LARGE_DOMAIN, LARGE_DOMAIN_MAILBOXES),
    ...SMALL_DOMAINS.flatMap((domain) => listAll(domain, SMALL_DOMAIN_MAILBOXES)),
  ]
  return known.map(({ email }) => email)
}

export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1)
}
