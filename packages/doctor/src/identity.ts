import type { Finding } from '@probity/contract/constants/operators'
import { type MailDns, queryDns } from '@probity/engine/domain/resolver'
import { readAddress } from '@probity/engine/smtp/protocol/address-policy'
import { getDomain } from 'tldts'
import { fail, pass, unknown, warn } from './check.ts'
import { BORROWED_DOMAINS, GENERIC_WORDS, PRIVATE_ENDS } from './data/borrowed-names.ts'
import type { EgressAddress } from './egress.ts'
import { judgeSender } from './sender.ts'

/** The records that mail servers look up to verify the HELO name. */
export type IdentityDns = MailDns & { resolvePtr(name: string): Promise<string[]> }

/** Compares the HELO name and sender with DNS. */
export async function examineIdentity(ways: EgressAddress[], dns: IdentityDns): Promise<Finding[]> {
  const found = ways.map(async (way) => [
    judgeName(way),
    await judgeForward(way, dns),
    await judgeReverse(way, dns),
    ...(await judgeSender(way, dns)),
  ])
  return (await Promise.all(found)).flat()
}

export function judgeName({ egress: { name: subject, heloName } }: EgressAddress): Finding {
  const name = heloName.toLowerCase()
  const says =
    'Use a dedicated name below your own domain, and set matching A and PTR records for it and the egress IP.'
  const lines = ['PROBITY_SMTP_HELO_NAME=probe.your-domain']
  const end = name.split('.').at(-1) ?? ''
  const domain = getDomain(name)
  if (PRIVATE_ENDS.includes(end) || domain === null) {
    return fail('ehlo-name', { subject, saw: `${heloName} is not a public host name.`, says, lines })
  }
  if (BORROWED_DOMAINS.includes(domain)) {
    return fail('ehlo-name', {
      subject,
      saw: `${heloName} belongs to ${domain}, which is not your domain.`,
      says,
      lines,
    })
  }
  if (looksGeneric(name)) {
    const saw = `${heloName} looks like a generic PTR name of a hosting provider.`
    return warn('ehlo-name', { subject, saw, says, lines })
  }
  return pass('ehlo-name', { subject, saw: `Probes send EHLO ${heloName}.` })
}

function looksGeneric(name: string): boolean {
  const [first = '', ...rest] = name.split('.')
  const host = [first, ...rest.slice(0, -2)].join('.')
  return GENERIC_WORDS.test(host) || /\d{1,3}[.-]\d{1,3}[.-]\d{1,3}[.-]\d{1,3}/.test(name)
}

/** The address record in zone file format. */
function addressRecord(name: string, address: string): string {
  return `${name}. IN ${address.includes(':') ? 'AAAA' : 'A'} ${address}`
}

async function judgeForward({ egress, address, known }: EgressAddress, dns: MailDns): Promise<Finding> {
  const { name: subject, heloName } = egress
  const isSix = address?.includes(':') ?? false
  const answer = await queryDns(isSix ? dns.resolve6(heloName) : dns.resolve4(heloName))
  if (answer.kind === 'failed') {
    return unknown('forward-dns', { subject, saw: `${heloName} could not be resolved: ${answer.failure}.` })
  }
  const records = answer.kind === 'records' ? answer.records : []
  const lines = [addressRecord(heloName, address ?? '<egress IP>')]
  const says = `Add this record to the zone ${getDomain(heloName) ?? heloName}.`
  if (records.length === 0)
    return fail('forward-dns', { subject, saw: `${heloName} has no address record.`, says, lines })
  if (address === undefined || known === 'assumed') {
    const saw = `${heloName} resolves to ${records.join(', ')}. No mail server reported the egress IP, so the two cannot be compared.`
    return unknown('forward-dns', {
      subject,
      saw,
      says: 'Fix the "port-25" finding of this egress, then run the checks again.',
    })
  }
  const saw = `The egress IP is ${address}, and ${heloName} resolves to ${records.join(', ')}.`
  const isSame = records.some((record) => sameAddress(record, address))
  return isSame ? pass('forward-dns', { subject, saw }) : fail('forward-dns', { subject, saw, says, lines })
}

function sameAddress(a: string, b: string): boolean {
  return String(readAddress(a)) === String(readAddress(b))
}

async function judgeReverse({ egress, address, known }: EgressAddress, dns: IdentityDns): Promise<Finding> {
  const { name: subject, heloName } = egress
  if (address === undefined) {
    const saw = 'The egress IP is unknown.'
    return unknown('reverse-dns', {
      subject,
      saw,
      says: `Add an address record for ${heloName}, or fix the "port-25" finding of this egress.`,
    })
  }
  const lines = [`${reverseName(address)}. IN PTR ${heloName}.`]
  const says = `The hosting provider of ${address} controls its reverse DNS. Set this record in its control panel, or request it from support.`
  const answer = await queryDns(dns.resolvePtr(reverseName(address)))
  if (answer.kind === 'failed' && answer.failure !== 'unresolved_alias') {
    return unknown('reverse-dns', {
      subject,
      saw: `The PTR record of ${address} could not be resolved: ${answer.failure}.`,
    })
  }
  const names = answer.kind === 'records' ? answer.records.map((name) => name.toLowerCase()) : []
  const whose = known === 'assumed' ? `${address} (assumed egress IP)` : address
  if (names.length === 0) return fail('reverse-dns', { subject, saw: `${whose} has no PTR record.`, says, lines })
  if (!names.includes(heloName.toLowerCase())) {
    const saw = `The PTR record of ${whose} is ${names.join(', ')}, but the HELO name is ${heloName}.`
    const renamed = names.length === 1 ? [`PROBITY_SMTP_HELO_NAME=${names[0]}`] : []
    return fail('reverse-dns', {
      subject,
      saw,
      says: `${says} Or use the PTR name as the HELO name.`,
      lines: [...lines, ...renamed],
    })
  }
  return judgeWayBack({ subject, address, heloName, whose }, dns)
}

type Named = { subject: string; address: string; heloName: string; whose: string }

/** The owner of a reverse zone can enter any name, so a PTR record counts only if forward DNS confirms it. */
async function judgeWayBack({ subject, address, heloName, whose }: Named, dns: MailDns): Promise<Finding> {
  const answer = await queryDns(address.includes(':') ? dns.resolve6(heloName) : dns.resolve4(heloName))
  if (answer.kind === 'failed') {
    return unknown('reverse-dns', { subject, saw: `${heloName} could not be resolved: ${answer.failure}.` })
  }
  const records = answer.kind === 'records' ? answer.records : []
  if (records.some((record) => sameAddress(record, address))) {
    return pass('reverse-dns', {
      subject,
      saw: `The PTR record of ${whose} is ${heloName}, and ${heloName} resolves to the same address.`,
    })
  }
  const saw = `The PTR record of ${whose} is ${heloName}, but ${heloName} resolves to ${records.join(', ') || 'no address'}.`
  const says = `Add this record to the zone ${getDomain(heloName) ?? heloName}.`
  return fail('reverse-dns', { subject, saw, says, lines: [addressRecord(heloName, address)] })
}

/** The bytes of an address as labels in reverse order, for the names in reverse zones and DNSBLs. */
export function reverseLabels(address: string): string {
  const bytes = [...(readAddress(address) ?? [])]
  if (!address.includes(':')) return bytes.slice(-4).toReversed().join('.')
  const digits = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return [...digits].toReversed().join('.')
}

/** The name of the PTR record of an address (RFC 1035 §3.5, RFC 3596 §2.5). */
export function reverseName(address: string): string {
  return `${reverseLabels(address)}.${address.includes(':') ? 'ip6' : 'in-addr'}.arpa`
}
