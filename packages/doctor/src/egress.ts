import { networkInterfaces } from 'node:os'
import type { Finding } from '@probity/contract/doctor'
import { dnsError, type MailDns } from '@probity/engine/domain/resolver'
import type { Egress } from '@probity/engine/mailbox/egress'
import { isThrough, type Reach, type Reached, reachLandmarks } from '@probity/engine/mailbox/reach'
import { fail, pass, unknown, warn } from './finding.ts'
import type { Patient } from './patient.ts'

/** For all of them together: they are asked at the same time. */
const REACH_WITHIN_MS = 15_000

type Reaching = Pick<Patient, 'landmarks' | 'policy'> & { dns: MailDns }

/** Asks the mail hosts of a few large providers for a greeting, and nothing else. */
export function reachOut(
  egress: Egress,
  { landmarks, policy, dns }: Reaching,
  withinMs = REACH_WITHIN_MS,
): Promise<Reached[]> {
  return reachLandmarks(landmarks, { dns, policy, egress, deadline: performance.now() + withinMs })
}

export function judgeWaysOut(egresses: Egress[]): Finding {
  if (egresses.length > 0) {
    const names = egresses.map(({ name }) => name).join(', ')
    return pass('way-out', { saw: `${egresses.length === 1 ? 'One way out is' : 'Ways out are'} set: ${names}.` })
  }
  const says = 'Give this host a name with reverse DNS and a sender that takes mail, and set both.'
  const lines = ['SMTP_HELO_NAME=probe.your-domain', 'SMTP_MAIL_FROM=bounce@your-domain']
  return warn('way-out', { saw: 'No way out is set, so no mail server is asked from here.', says, lines })
}

/** What came of asking by one way out. One provider may have a bad day; what all of them have in common is the way. */
export function judgePort25(egress: Egress, reached: Reached[]): Finding {
  const subject = egress.name
  const dialled = reached.filter(({ reach }) => reach.kind !== 'not_asked')
  const saw = `${reached.map(describeReached).join('. ')}.`
  if (dialled.length === 0) {
    const says = 'Nobody could be looked up: see what is said of the resolver first.'
    return unknown('port-25', { subject, saw, says })
  }
  const through = dialled.filter(({ reach }) => isThrough(reach))
  const stranger = dialled.find(({ reach }) => reach.kind === 'intercepted')
  if (stranger !== undefined) return fail('port-25', { subject, saw, ...adviseOn('intercepted', egress, stranger) })
  const [first] = dialled.filter(({ reach }) => !isThrough(reach))
  if (first === undefined) return pass('port-25', { subject, saw })
  const told = { subject, saw, ...adviseOn(first.reach.kind, egress, first) }
  return through.length > 0 ? warn('port-25', told) : fail('port-25', told)
}

function describeReached({ landmark: { domain }, host, reach }: Reached): string {
  return `${host ?? domain} ${describeReach(reach)}`
}

function describeReach(reach: Reach): string {
  switch (reach.kind) {
    case 'reached':
      return 'greeted us'
    case 'turned_away':
      return `turned us away (${reach.code} ${reach.text.slice(0, 120)})`
    case 'intercepted':
      return `was answered for by ${reach.saidToBe}`
    case 'refused':
      return 'refused the connection'
    case 'timeout':
      return 'did not answer in time'
    case 'unreachable':
      return 'cannot be reached'
    case 'proxy_failed':
      return 'was not asked, because the proxy did not answer'
    case 'closed':
      return 'hung up without a greeting'
    case 'garbled':
      return 'did not speak SMTP'
    case 'not_asked':
      return `was not asked (${reach.why.replaceAll('_', ' ')})`
  }
}

/** What to do, by what stood in the way. A refusal comes from a firewall that answers, silence from one that does not. */
function adviseOn(kind: Reach['kind'], egress: Egress, { host }: Reached): { says: string; lines: string[] } {
  const bind = egress.localAddress === undefined ? '' : `-s ${egress.localAddress} `
  const lines = [`nc -vz -w 8 ${bind}${host ?? 'gmail-smtp-in.l.google.com'} 25`]
  const proxy = `SMTP_EGRESS=${egress.name}=socks5://user:password@host:1080`
  if (kind === 'intercepted') {
    const says =
      'A box between here and the mail servers answers for them, and its word on mailboxes means nothing. Ask the hoster for port 25 without it, or go out by a proxy elsewhere.'
    return { says, lines: [...lines, proxy] }
  }
  if (kind === 'proxy_failed') {
    const { host: at, port } = egress.socks5 ?? { host: 'the proxy', port: 1080 }
    return { says: 'See that the proxy runs and lets this host in.', lines: [`nc -vz -w 8 ${at} ${port}`] }
  }
  const says =
    kind === 'refused'
      ? 'A firewall refuses connections to port 25. Open it there, ask the hoster to, or go out by a proxy that has it.'
      : 'Connections to port 25 get no answer, as where a hoster closes it. Ask the hoster to open it, or go out by a proxy that has it.'
  return { says, lines: [...lines, proxy] }
}

/** The same by IPv6 alone. Where this host has none there is nothing to put right. */
export async function examineIpv6(egress: Egress, reaching: Reaching): Promise<Finding> {
  const subject = egress.name
  if (!canSpeakIpv6(egress, reaching.policy.allows)) {
    const saw = 'This way out has no public IPv6 address. Mail hosts without an IPv4 address cannot be asked by it.'
    return pass('ipv6', { subject, saw })
  }
  const reached = await reachOut(egress, { ...reaching, dns: withoutIpv4(reaching.dns) })
  const dialled = reached.filter(({ reach }) => reach.kind !== 'not_asked')
  const saw = `By IPv6: ${reached.map(describeReached).join('. ')}.`
  if (dialled.length === 0) return unknown('ipv6', { subject, saw, says: 'None of them has an IPv6 address just now.' })
  if (dialled.some(({ reach }) => isThrough(reach))) return pass('ipv6', { subject, saw })
  const [first] = dialled
  const advice = adviseOn(first?.reach.kind ?? 'timeout', egress, first as Reached)
  return warn('ipv6', { subject, saw, ...advice })
}

function canSpeakIpv6({ localAddress, socks5 }: Egress, isPublic: (address: string) => boolean): boolean {
  if (socks5 !== undefined) return true // whether it can is its own matter, and is found out by asking
  if (localAddress !== undefined) return localAddress.includes(':')
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return own.some(({ family, address }) => family === 'IPv6' && isPublic(address))
}

function withoutIpv4(dns: MailDns): MailDns {
  const none = async () => {
    throw dnsError('ENODATA', 'only IPv6 is looked for')
  }
  return {
    resolveMx: (name) => dns.resolveMx(name),
    resolve6: (name) => dns.resolve6(name),
    resolveTxt: (name) => dns.resolveTxt(name),
    resolve4: none,
  }
}
