import type { Finding } from '@probity/contract/doctor'
import { findMailHosts } from '@probity/engine/domain/mail-hosts'
import type { MailDns } from '@probity/engine/domain/resolver'
import { fail, pass, unknown, warn } from './finding.ts'
import { judgeSpf, type SpfResult } from './spf.ts'
import type { WayOut } from './way-out.ts'

/** Whether the sender that mail servers see could be answered, and may send from where we are. */
export async function judgeSender(way: WayOut, dns: MailDns): Promise<Finding[]> {
  const domain = way.egress.mailFrom.slice(way.egress.mailFrom.lastIndexOf('@') + 1)
  return Promise.all([judgeMx(way, domain, dns), judgeRecord(way, domain, dns)])
}

async function judgeMx({ egress: { name: subject } }: WayOut, domain: string, dns: MailDns): Promise<Finding> {
  const mail = await findMailHosts(domain, dns)
  const says = 'Give the domain a mail server that takes mail for the sender, for postmaster and for abuse.'
  const lines = [`${domain}. IN MX 10 mail.${domain}.`]
  if (mail.kind === 'unknown') return unknown('sender-mx', { subject, saw: `${domain} could not be looked up.`, says })
  if (mail.kind !== 'hosts') return fail('sender-mx', { subject, saw: `${domain} takes no mail.`, says, lines })
  const hosts = mail.hosts.map(({ name }) => name)
  if (mail.source !== 'mx') {
    return warn('sender-mx', { subject, saw: `${domain} has no MX record, only an address.`, says, lines })
  }
  return pass('sender-mx', { subject, saw: `Mail for ${domain} goes to ${hosts.join(', ')}.` })
}

async function judgeRecord({ egress, address }: WayOut, domain: string, dns: MailDns): Promise<Finding> {
  const subject = egress.name
  if (address === undefined) {
    const saw = 'It is not known by which address mail servers see this way out.'
    return unknown('sender-spf', { subject, saw, says: 'See what "port-25" and "forward-dns" say of it first.' })
  }
  const { result, record } = await judgeSpf(domain, address, dns)
  const saw = `${WORDS[result](domain, address)}${record === undefined ? '' : ` The record: ${record}`}`
  if (result === 'pass') return pass('sender-spf', { subject, saw })
  const mechanism = `${address.includes(':') ? 'ip6' : 'ip4'}:${address}`
  const says = 'Name the address in the SPF record of the domain; there may be one such record only.'
  const told = { subject, saw, says, lines: [`${domain}. IN TXT "${mended(record, mechanism)}"`] }
  if (result === 'unsure')
    return unknown('sender-spf', { subject, saw, says: 'Look at the record by hand.', lines: told.lines })
  return result === 'neutral' || result === 'none' ? warn('sender-spf', told) : fail('sender-spf', told)
}

/** The record with the address in it, before the word on all others. */
function mended(record: string | undefined, mechanism: string): string {
  if (record === undefined) return `v=spf1 ${mechanism} -all`
  return record.replace(/^v=spf1/i, `v=spf1 ${mechanism}`)
}

const WORDS: Record<SpfResult, (domain: string, address: string) => string> = {
  pass: (domain, address) => `${domain} lets ${address} send for it.`,
  fail: (domain, address) => `${domain} forbids ${address} to send for it.`,
  softfail: (domain, address) => `${domain} advises against ${address}.`,
  neutral: (domain, address) => `${domain} has an SPF record that says nothing of ${address}.`,
  none: (domain) => `${domain} has no SPF record.`,
  permerror: (domain) => `${domain} has an SPF record that receivers cannot use: two of them, or too many look-ups.`,
  unsure: (domain) => `What the SPF record of ${domain} says could not be found out.`,
}
