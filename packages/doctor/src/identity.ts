import type { Finding } from '@probity/contract/doctor'
import { ask } from '@probity/engine/domain/ask'
import type { MailDns } from '@probity/engine/domain/resolver'
import { readAddress } from '@probity/engine/mailbox/address-bytes'
import { getDomain } from 'tldts'
import { BORROWED_DOMAINS, GENERIC_WORDS, PRIVATE_ENDS } from './data/borrowed-names.ts'
import { fail, pass, unknown, warn } from './finding.ts'
import { reverseName } from './reverse-name.ts'
import { judgeSender } from './sender.ts'
import type { WayOut } from './way-out.ts'

/** Mail servers look all of this up before they believe who we say we are. */
export type IdentityDns = MailDns & { resolvePtr(name: string): Promise<string[]> }

/** Who we say we are, against what DNS says of it. */
export async function examineIdentity(ways: WayOut[], dns: IdentityDns): Promise<Finding[]> {
  const found = ways.map(async (way) => [
    judgeName(way),
    await judgeForward(way, dns),
    await judgeReverse(way, dns),
    ...(await judgeSender(way, dns)),
  ])
  return (await Promise.all(found)).flat()
}

export function judgeName({ egress: { name: subject, heloName } }: WayOut): Finding {
  const name = heloName.toLowerCase()
  const says =
    'Take a name below a domain of your own, that is for this alone, and give it to the address in both directions.'
  const lines = ['SMTP_HELO_NAME=probe.your-domain']
  const end = name.split('.').at(-1) ?? ''
  const domain = getDomain(name)
  if (PRIVATE_ENDS.includes(end) || domain === null) {
    return fail('ehlo-name', { subject, saw: `${heloName} is a name that the world does not know.`, says, lines })
  }
  if (BORROWED_DOMAINS.includes(domain)) {
    return fail('ehlo-name', { subject, saw: `${heloName} is a name of ${domain}, which is not yours.`, says, lines })
  }
  if (looksGeneric(name)) {
    const saw = `${heloName} looks like a name that a hoster gave to an address nobody has named.`
    return warn('ehlo-name', { subject, saw, says, lines })
  }
  return pass('ehlo-name', { subject, saw: `It says EHLO ${heloName}.` })
}

function looksGeneric(name: string): boolean {
  const [first = '', ...rest] = name.split('.')
  const host = [first, ...rest.slice(0, -2)].join('.')
  return GENERIC_WORDS.test(host) || /\d{1,3}[.-]\d{1,3}[.-]\d{1,3}[.-]\d{1,3}/.test(name)
}

/** As a record of a zone file. */
function addressRecord(name: string, address: string): string {
  return `${name}. IN ${address.includes(':') ? 'AAAA' : 'A'} ${address}`
}

async function judgeForward({ egress, address, known }: WayOut, dns: MailDns): Promise<Finding> {
  const { name: subject, heloName } = egress
  const isSix = address?.includes(':') ?? false
  const answer = await ask(isSix ? dns.resolve6(heloName) : dns.resolve4(heloName))
  if (answer.kind === 'failed') {
    return unknown('forward-dns', { subject, saw: `${heloName} could not be looked up: ${answer.failure}.` })
  }
  const records = answer.kind === 'records' ? answer.records : []
  const lines = [addressRecord(heloName, address ?? '<the address you go out by>')]
  const says = `Put this record into the zone of ${getDomain(heloName) ?? heloName}.`
  if (records.length === 0)
    return fail('forward-dns', { subject, saw: `${heloName} has no address in DNS.`, says, lines })
  if (address === undefined || known === 'assumed') {
    const saw = `${heloName} leads to ${records.join(', ')}. No mail server said by which address it sees us, so it is not known whether that is the way out.`
    return unknown('forward-dns', { subject, saw, says: 'See what "port-25" says of this way out, and look again.' })
  }
  const saw = `Mail servers see ${address}, and ${heloName} leads to ${records.join(', ')}.`
  const isSame = records.some((record) => sameAddress(record, address))
  return isSame ? pass('forward-dns', { subject, saw }) : fail('forward-dns', { subject, saw, says, lines })
}

function sameAddress(a: string, b: string): boolean {
  return String(readAddress(a)) === String(readAddress(b))
}

async function judgeReverse({ egress, address, known }: WayOut, dns: IdentityDns): Promise<Finding> {
  const { name: subject, heloName } = egress
  if (address === undefined) {
    const saw = 'It is not known by which address mail servers see this way out.'
    return unknown('reverse-dns', {
      subject,
      saw,
      says: `Give ${heloName} an address record, or see what "port-25" says.`,
    })
  }
  const lines = [`${reverseName(address)}. IN PTR ${heloName}.`]
  const says = `Whoever gave you ${address} sets its reverse DNS: ask the hoster for this record, or set it on their pages.`
  const answer = await ask(dns.resolvePtr(reverseName(address)))
  if (answer.kind === 'failed' && answer.failure !== 'unresolved_alias') {
    return unknown('reverse-dns', { subject, saw: `The name of ${address} could not be looked up: ${answer.failure}.` })
  }
  const names = answer.kind === 'records' ? answer.records.map((name) => name.toLowerCase()) : []
  const whose = known === 'assumed' ? `${address}, which we take for the way out,` : address
  if (names.length === 0)
    return fail('reverse-dns', { subject, saw: `${whose} has no name in reverse DNS.`, says, lines })
  if (!names.includes(heloName.toLowerCase())) {
    const saw = `${whose} is called ${names.join(', ')}, and the EHLO name is ${heloName}.`
    const renamed = names.length === 1 ? [`SMTP_HELO_NAME=${names[0]}`] : []
    return fail('reverse-dns', {
      subject,
      saw,
      says: `${says} Or go by the name that it has.`,
      lines: [...lines, ...renamed],
    })
  }
  return judgeWayBack({ subject, address, heloName, whose }, dns)
}

type Named = { subject: string; address: string; heloName: string; whose: string }

/** A name that anybody may write into their own reverse zone counts only if it leads back. */
async function judgeWayBack({ subject, address, heloName, whose }: Named, dns: MailDns): Promise<Finding> {
  const answer = await ask(address.includes(':') ? dns.resolve6(heloName) : dns.resolve4(heloName))
  if (answer.kind === 'failed') {
    return unknown('reverse-dns', { subject, saw: `${heloName} could not be looked up: ${answer.failure}.` })
  }
  const records = answer.kind === 'records' ? answer.records : []
  if (records.some((record) => sameAddress(record, address))) {
    return pass('reverse-dns', { subject, saw: `${whose} is called ${heloName}, and ${heloName} leads back to it.` })
  }
  const saw = `${whose} is called ${heloName}, but ${heloName} leads to ${records.join(', ') || 'nothing'}.`
  const says = `Put this record into the zone of ${getDomain(heloName) ?? heloName}.`
  return fail('reverse-dns', { subject, saw, says, lines: [addressRecord(heloName, address)] })
}
