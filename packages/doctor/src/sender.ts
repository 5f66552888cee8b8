import type { Finding } from '@probity/contract/constants/operators'
import { findMailHosts } from '@probity/engine/domain/mail-hosts'
import type { MailDns } from '@probity/engine/domain/resolver'
import type { EgressAddress } from './egress-address.ts'
import { fail, pass, unknown, warn } from './finding.ts'
import { judgeSpf, type SpfResult } from './spf.ts'

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
