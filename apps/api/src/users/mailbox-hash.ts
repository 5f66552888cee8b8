import { createHmac, type KeyObject } from 'node:crypto'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { parseAddress } from '@probity/engine/address/parse'

/** Domains that ignore dots in local parts and deliver to the same mailboxes. */
const GMAIL_DOMAINS = new Set(['gmail.com', 'googlemail.com'])

/**
 * A keyed hash by which the mailbox of a user is recognized without storing the address. Spellings of one mailbox have one hash: letter
 * case, a tag (`ada+1@…`), and for Gmail dots and the second domain name do not matter.
 */
export function hashMailbox(email: string, secret: KeyObject): Buffer {
  return createHmac('sha256', secret).update(normalizeMailbox(email)).digest()
}

function normalizeMailbox(email: string): string {
  const key = dedupeKey(email)
  const address = parseAddress(key)
  if (address.kind !== 'address') return key
  const at = key.lastIndexOf('@')
  const domain = key.slice(at + 1)
  const local = key.slice(0, at)
  const mailbox = address.tag === null ? local : local.slice(0, local.indexOf('+'))
  return GMAIL_DOMAINS.has(domain) ? `${mailbox.replaceAll('.', '')}@gmail.com` : `${mailbox}@${domain}`
}
