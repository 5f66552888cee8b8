import { getDomain } from 'tldts'
import { type MailDns, queryDns } from './resolver.ts'

/** Whether a domain publishes a policy that a receiver can use. `failed`: the query failed, so it is not known. */
export type Policy = 'found' | 'absent' | 'failed'

/** Limits of a text and of the number of texts. No published policy is longer. */
const TEXT_LENGTH_MAX = 4_096
const TEXTS_MAX = 500

/** RFC 7208 §4.5: the version, then a space or the end. Literals of the grammar are case-insensitive (RFC 5234 §2.3). */
const SPF = /^v=spf1(?: |$)/i

/** RFC 7489 §6.4: the version comes first. Its value is the only case-sensitive one. */
const DMARC = /^[vV][ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/

/** RFC 7489 §6.6.3: a record without a valid policy counts as `p=none` if it has a reporting address, else as no record. */
const DMARC_USABLE = /;[ \t]*(?:p[ \t]*=[ \t]*(?:none|quarantine|reject)[ \t]*(?:;|$)|rua[ \t]*=[ \t]*mailto:)/i

/**
 * Two SPF records count as none: receivers treat them as a permanent error (RFC 7208 §4.5), so the domain is as unprotected as one
 * without.
 */
export async function findSpf(domain: string, dns: MailDns): Promise<Policy> {
  const texts = await findTexts(domain, dns)
  if (texts === 'failed') return 'failed'
  return texts.filter((text) => SPF.test(text)).length === 1 ? 'found' : 'absent'
}

/** The domain's own DMARC record, else that of its organizational domain. Two records at one name end the search (RFC 7489 §6.6.3). */
export async function findDmarc(domain: string, dns: MailDns): Promise<Policy> {
  const own = await findDmarcAt(domain, dns)
  if (own !== 'absent') return own === 'several' ? 'absent' : own

  // With the private part of the public suffix list: a customer name below the domain of a hosting provider does not inherit its policy.
  const organizational = getDomain(domain, { allowPrivateDomains: true })
  if (organizational === null || organizational === domain) return 'absent'
  const inherited = await findDmarcAt(organizational, dns)
  return inherited === 'several' ? 'absent' : inherited
}

async function findDmarcAt(domain: string, dns: MailDns): Promise<Policy | 'several'> {
  const texts = await findTexts(`_dmarc.${domain}`, dns)
  if (texts === 'failed') return 'failed'
  const records = texts.filter((text) => DMARC.test(text))
  if (records.length > 1) return 'several'
  return records.some((record) => DMARC_USABLE.test(record)) ? 'found' : 'absent'
}

async function findTexts(name: string, dns: MailDns): Promise<string[] | 'failed'> {
  const answer = await queryDns(dns.resolveTxt(name))
  // An alias without TXT records, common below a wildcard. No verdict depends on it, so unlike for MX it counts as no record.
  if (answer.kind === 'failed') return answer.failure === 'unresolved_alias' ? [] : 'failed'
  if (answer.kind !== 'records') return []
  return answer.records.slice(0, TEXTS_MAX).map((parts) => parts.join('').slice(0, TEXT_LENGTH_MAX)) // RFC 7208 §3.3
}
