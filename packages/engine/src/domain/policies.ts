import { getDomain } from 'tldts'
import { type MailDns, queryDns } from './resolver.ts'

/** Whether a domain publishes a policy that a receiver can use. `failed` is "could not ask", not "has none". */
export type Policy = 'found' | 'absent' | 'failed'

/** Of a text no more is read than this, and of a set no more texts: beyond it nobody publishes a policy. */
const TEXT_LENGTH_MAX = 4_096
const TEXTS_MAX = 500

/** RFC 7208 §4.5: the version, then a space or the end. The words of the grammar have no case (RFC 5234 §2.3). */
const SPF = /^v=spf1(?: |$)/i

/** RFC 7489 §6.4: the version comes first, and its value is the one thing that has a case. */
const DMARC = /^[vV][ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/

/** RFC 7489 §6.6.3: a record without a valid policy counts as `p=none` if it asks for reports, else as no record. */
const DMARC_USABLE = /;[ \t]*(?:p[ \t]*=[ \t]*(?:none|quarantine|reject)[ \t]*(?:;|$)|rua[ \t]*=[ \t]*mailto:)/i

/**
 * Two SPF records count as none: to every receiver they are a permanent error (RFC 7208 §4.5), so that the domain is as
 * unprotected as one without.
 */
export async function findSpf(domain: string, dns: MailDns): Promise<Policy> {
  const texts = await findTexts(domain, dns)
  if (texts === 'failed') return 'failed'
  return texts.filter((text) => SPF.test(text)).length === 1 ? 'found' : 'absent'
}

/** The domain's own DMARC record, else that of its organisational domain. Two records at one place end the search (RFC 7489 §6.6.3). */
export async function findDmarc(domain: string, dns: MailDns): Promise<Policy> {
  const own = await findDmarcAt(domain, dns)
  if (own !== 'absent') return own === 'several' ? 'absent' : own

  // With the private part of the public suffix list: whoever rents a name below a hoster's does not speak for the hoster.
  const organisation = getDomain(domain, { allowPrivateDomains: true })
  if (organisation === null || organisation === domain) return 'absent'
  const inherited = await findDmarcAt(organisation, dns)
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
  // An alias without TXT behind it: common below a wildcard. No verdict hangs on it, so unlike for MX it may count as none.
  if (answer.kind === 'failed') return answer.failure === 'unresolved_alias' ? [] : 'failed'
  if (answer.kind !== 'records') return []
  return answer.records.slice(0, TEXTS_MAX).map((parts) => parts.join('').slice(0, TEXT_LENGTH_MAX)) // RFC 7208 §3.3
}
