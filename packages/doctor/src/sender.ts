import type { Finding } from '@probity/contract/constants/operators'
import { findMailHosts } from '@probity/engine/domain/mail-hosts'
import { type MailDns, queryDns } from '@probity/engine/domain/resolver'
import { isWithin, readAddress, readBlock } from '@probity/engine/smtp/protocol/address-policy'
import { fail, pass, unknown, warn } from './check.ts'
import type { EgressAddress } from './egress.ts'

/** Checks that the MAIL FROM domain accepts mail and that its SPF record covers the egress IP. */
export async function judgeSender(way: EgressAddress, dns: MailDns): Promise<Finding[]> {
  const domain = way.egress.mailFrom.slice(way.egress.mailFrom.lastIndexOf('@') + 1)
  return Promise.all([judgeMx(way, domain, dns), judgeRecord(way, domain, dns)])
}

async function judgeMx({ egress: { name: subject } }: EgressAddress, domain: string, dns: MailDns): Promise<Finding> {
  const mail = await findMailHosts(domain, dns)
  const says = 'Set up a mail server for the domain that accepts mail for the sender, postmaster and abuse.'
  const lines = [`${domain}. IN MX 10 mail.${domain}.`]
  if (mail.kind === 'unknown') return unknown('sender-mx', { subject, saw: `${domain} could not be resolved.`, says })
  if (mail.kind !== 'hosts') return fail('sender-mx', { subject, saw: `${domain} does not accept mail.`, says, lines })
  const hosts = mail.hosts.map(({ name }) => name)
  if (mail.source !== 'mx') {
    return warn('sender-mx', { subject, saw: `${domain} has no MX record, only an address record.`, says, lines })
  }
  return pass('sender-mx', { subject, saw: `The MX hosts of ${domain} are ${hosts.join(', ')}.` })
}

async function judgeRecord({ egress, address }: EgressAddress, domain: string, dns: MailDns): Promise<Finding> {
  const subject = egress.name
  if (address === undefined) {
    const saw = 'The egress IP is unknown.'
    return unknown('sender-spf', {
      subject,
      saw,
      says: 'Fix the "port-25" and "forward-dns" findings of this egress first.',
    })
  }
  const { result, record } = await judgeSpf(domain, address, dns)
  const saw = `${WORDS[result](domain, address)}${record === undefined ? '' : ` SPF record: ${record}`}`
  if (result === 'pass') return pass('sender-spf', { subject, saw })
  const mechanism = `${address.includes(':') ? 'ip6' : 'ip4'}:${address}`
  const says = 'Add the egress IP to the SPF record of the domain. A domain must have only one SPF record.'
  const told = { subject, saw, says, lines: [`${domain}. IN TXT "${withMechanism(record, mechanism)}"`] }
  if (result === 'unsure')
    return unknown('sender-spf', { subject, saw, says: 'Check the record manually.', lines: told.lines })
  return result === 'neutral' || result === 'none' ? warn('sender-spf', told) : fail('sender-spf', told)
}

/** The record with the address added before the `all` mechanism. */
function withMechanism(record: string | undefined, mechanism: string): string {
  if (record === undefined) return `v=spf1 ${mechanism} -all`
  return record.replace(/^v=spf1/i, `v=spf1 ${mechanism}`)
}

const WORDS: Record<SpfResult, (domain: string, address: string) => string> = {
  pass: (domain, address) => `${domain} authorizes ${address} (SPF pass).`,
  fail: (domain, address) => `${domain} does not authorize ${address} (SPF fail).`,
  softfail: (domain, address) => `${domain} probably does not authorize ${address} (SPF softfail).`,
  neutral: (domain, address) => `The SPF record of ${domain} does not cover ${address} (SPF neutral).`,
  none: (domain) => `${domain} has no SPF record.`,
  permerror: (domain) =>
    `The SPF record of ${domain} is invalid: there are several records, or it needs too many DNS lookups (SPF permerror).`,
  unsure: (domain) => `The SPF record of ${domain} could not be evaluated.`,
}

/** SPF result (RFC 7208 §2.6). `unsure` is an extension: DNS failed, or the record uses a mechanism that is not supported here. */
type SpfResult = 'pass' | 'fail' | 'softfail' | 'neutral' | 'none' | 'permerror' | 'unsure'

/** RFC 7208 §4.6.4. */
const LOOKUPS_MAX = 10

const RESULTS: Record<string, SpfResult> = { '+': 'pass', '-': 'fail', '~': 'softfail', '?': 'neutral' }

type Looking = { address: string; dns: MailDns; lookups: { left: number } }

/** The SPF result of an address for a domain, and the record it is based on. */
export async function judgeSpf(
  domain: string,
  address: string,
  dns: MailDns,
): Promise<{ result: SpfResult; record: string | undefined }> {
  const found = await findRecord(domain, dns)
  if (found.kind !== 'record') return { result: found.kind, record: undefined }
  const looking = { address, dns, lookups: { left: LOOKUPS_MAX } }
  return { result: await followRecord(found.record, domain, looking), record: found.record }
}

type Found = { kind: 'record'; record: string } | { kind: 'none' | 'permerror' | 'unsure' }

async function findRecord(domain: string, dns: MailDns): Promise<Found> {
  const answer = await queryDns(dns.resolveTxt(domain))
  if (answer.kind === 'failed' && answer.failure !== 'unresolved_alias') return { kind: 'unsure' }
  const texts = answer.kind === 'records' ? answer.records.map((parts) => parts.join('')) : []
  const records = texts.filter((text) => /^v=spf1( |$)/i.test(text))
  const [record] = records
  if (record === undefined) return { kind: 'none' }
  return records.length === 1 ? { kind: 'record', record } : { kind: 'permerror' }
}

async function followRecord(record: string, domain: string, looking: Looking): Promise<SpfResult> {
  const terms = record.trim().split(/ +/).slice(1)
  for (const term of terms) {
    const [, sign = '', body = ''] = /^([-+~?]?)(.*)$/.exec(term) ?? []
    if (/^[a-z0-9_.-]+=/i.test(body)) continue // a modifier; redirect is evaluated last, at any position
    const matches = await matchesTerm(body.toLowerCase(), domain, looking)
    if (matches === true) return RESULTS[sign || '+'] ?? 'neutral'
    if (matches !== false) return matches
  }
  const target = terms.map((term) => /^redirect=(.+)$/i.exec(term)?.[1]).find((one) => one !== undefined)
  return target === undefined ? 'neutral' : followOther(target, looking)
}

async function followOther(domain: string, looking: Looking): Promise<SpfResult> {
  if (domain.includes('%')) return 'unsure'
  if (!takeLookup(looking)) return 'permerror'
  const found = await findRecord(domain, looking.dns)
  if (found.kind !== 'record') return found.kind === 'none' ? 'permerror' : found.kind
  return followRecord(found.record, domain, looking)
}

async function matchesTerm(term: string, domain: string, looking: Looking): Promise<boolean | SpfResult> {
  const [, name = '', value = '', bits] = /^([a-z0-9]+)(?::([^/]+(?:\/\d+)?))?(?:\/(\d+))?/.exec(term) ?? []
  if (value.includes('%')) return 'unsure'
  switch (name) {
    case 'all':
      return true
    case 'ip4':
      return isIn(looking.address, value)
    case 'ip6':
      return isIn(looking.address, term.slice('ip6:'.length))
    case 'a':
      return takeLookup(looking)
        ? hasAddress(value.split('/')[0] || domain, bits ?? value.split('/')[1], looking)
        : 'permerror'
    case 'mx':
      return takeLookup(looking)
        ? isMailHost(value.split('/')[0] || domain, bits ?? value.split('/')[1], looking)
        : 'permerror'
    case 'include': {
      const result = await followOther(value, looking)
      return result === 'unsure' || result === 'permerror' ? result : result === 'pass'
    }
    default:
      return 'unsure' // "exists", "ptr" and unknown mechanisms
  }
}

function takeLookup({ lookups }: Looking): boolean {
  lookups.left -= 1
  return lookups.left >= 0
}

function isIn(address: string, text: string): boolean {
  const bytes = readAddress(address)
  const block = readBlock(text)
  // IPv4 addresses are stored as IPv4-mapped IPv6 addresses; "ip6:::/0" must not match them.
  return (
    bytes !== undefined && block !== undefined && address.includes(':') === text.includes(':') && isWithin(bytes, block)
  )
}

async function hasAddress(
  name: string,
  bits: string | undefined,
  { address, dns }: Looking,
): Promise<boolean | SpfResult> {
  const answer = await queryDns(address.includes(':') ? dns.resolve6(name) : dns.resolve4(name))
  if (answer.kind === 'failed' && answer.failure !== 'unresolved_alias') return 'unsure'
  const records = answer.kind === 'records' ? answer.records : []
  return records.some((record) => isIn(address, bits === undefined ? record : `${record}/${bits}`))
}

async function isMailHost(name: string, bits: string | undefined, looking: Looking): Promise<boolean | SpfResult> {
  const answer = await queryDns(looking.dns.resolveMx(name))
  if (answer.kind === 'failed' && answer.failure !== 'unresolved_alias') return 'unsure'
  const hosts = answer.kind === 'records' ? answer.records.slice(0, LOOKUPS_MAX) : []
  for (const { exchange } of hosts) {
    const matches = await hasAddress(exchange, bits, looking)
    if (matches !== false) return matches
  }
  return false
}
