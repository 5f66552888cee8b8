import { networkInterfaces } from 'node:os'
import type { Finding } from '@probity/contract/constants/operators'
import { dnsError, type MailDns, queryDns } from '@probity/engine/domain/resolver'
import {
  type Connectivity,
  type ConnectivityCheck,
  checkReferenceHosts,
  isReachable,
} from '@probity/engine/smtp/probe/connectivity-check'
import type { Egress } from '@probity/engine/smtp/protocol/dial'
import { type CheckContext, fail, pass, unknown, warn } from './check.ts'

/** Deadline for all reference hosts together: they are contacted in parallel. */
const CONNECT_WITHIN_MS = 15_000

type ConnectivityContext = Pick<CheckContext, 'referenceHosts' | 'policy'> & { dns: MailDns }

/** Reads the greeting of the mail servers of a few large providers, and nothing else. */
export function checkConnectivity(
  egress: Egress,
  { referenceHosts, policy, dns }: ConnectivityContext,
  withinMs = CONNECT_WITHIN_MS,
): Promise<ConnectivityCheck[]> {
  return checkReferenceHosts(referenceHosts, { dns, policy, egress, deadline: performance.now() + withinMs })
}

export function judgeEgresses(egresses: Egress[]): Finding {
  if (egresses.length > 0) {
    const names = egresses.map(({ name }) => name).join(', ')
    return pass('egress-configured', {
      saw: `${egresses.length === 1 ? 'One egress is' : `${egresses.length} egresses are`} configured: ${names}.`,
    })
  }
  const says = 'Give this host a name with reverse DNS and a sender address that accepts mail, and set both.'
  const lines = ['PROBITY_SMTP_HELO_NAME=probe.your-domain', 'PROBITY_SMTP_MAIL_FROM=bounce@your-domain']
  return warn('egress-configured', {
    saw: 'No egress is configured, so mail servers are not probed from this host.',
    says,
    lines,
  })
}

/** Judges one egress. A single unreachable provider is a warning; if all are unreachable, the egress is the cause. */
export function judgePort25(egress: Egress, reached: ConnectivityCheck[]): Finding {
  const subject = egress.name
  const dialled = reached.filter(({ connectivity }) => connectivity.kind !== 'not_asked')
  const saw = `${reached.map(describeCheck).join('. ')}.`
  if (dialled.length === 0) {
    const says = 'No mail server name could be resolved. Fix the findings of the resolver first.'
    return unknown('port-25', { subject, saw, says })
  }
  const through = dialled.filter(({ connectivity }) => isReachable(connectivity))
  const interceptor = dialled.find(({ connectivity }) => connectivity.kind === 'intercepted')
  if (interceptor !== undefined)
    return fail('port-25', { subject, saw, ...adviseOn('intercepted', egress, interceptor) })
  const [first] = dialled.filter(({ connectivity }) => !isReachable(connectivity))
  if (first === undefined) return pass('port-25', { subject, saw })
  const told = { subject, saw, ...adviseOn(first.connectivity.kind, egress, first) }
  return through.length > 0 ? warn('port-25', told) : fail('port-25', told)
}

function describeCheck({ referenceHost: { domain }, host, connectivity }: ConnectivityCheck): string {
  return `${host ?? domain} ${describeConnectivity(connectivity)}`
}

function describeConnectivity(reach: Connectivity): string {
  switch (reach.kind) {
    case 'reached':
      return 'sent a greeting'
    case 'turned_away':
      return `rejected the connection (${reach.code} ${reach.text.slice(0, 120)})`
    case 'intercepted':
      return `was intercepted: the greeting is from ${reach.claimedName}`
    case 'refused':
      return 'refused the connection'
    case 'timeout':
      return 'timed out'
    case 'unreachable':
      return 'is unreachable'
    case 'proxy_failed':
      return 'was not contacted because the proxy did not respond'
    case 'closed':
      return 'closed the connection without a greeting'
    case 'garbled':
      return 'did not speak SMTP'
    case 'not_asked':
      return `was not contacted (${reach.why.replaceAll('_', ' ')})`
  }
}

/** The fix by kind of failure. A firewall that rejects refuses the connection; one that drops packets causes a timeout. */
function adviseOn(
  kind: Connectivity['kind'],
  egress: Egress,
  { host }: ConnectivityCheck,
): { says: string; lines: string[] } {
  const bind = egress.localAddress === undefined ? '' : `-s ${egress.localAddress} `
  const lines = [`nc -vz -w 8 ${bind}${host ?? 'gmail-smtp-in.l.google.com'} 25`]
  const proxy = `PROBITY_SMTP_EGRESS=${egress.name}=socks5://user:password@host:1080`
  if (kind === 'intercepted') {
    const says =
      'A middlebox intercepts port 25, so replies cannot be trusted. Ask your hosting provider to disable it, or use a SOCKS5 proxy.'
    return { says, lines: [...lines, proxy] }
  }
  if (kind === 'proxy_failed') {
    const { host: at, port } = egress.socks5 ?? { host: 'the proxy', port: 1080 }
    return {
      says: 'Check that the proxy is running and accepts connections from this host.',
      lines: [`nc -vz -w 8 ${at} ${port}`],
    }
  }
  const says =
    kind === 'refused'
      ? 'A firewall refuses connections to port 25. Open the port in the firewall, ask your hosting provider to open it, or use a SOCKS5 proxy.'
      : 'Connections to port 25 time out, which usually means that a firewall or the hosting provider blocks it. Ask your hosting provider to open it, or use a SOCKS5 proxy.'
  return { says, lines: [...lines, proxy] }
}

/** The same check over IPv6 only. A host without IPv6 passes: there is nothing to fix. */
export async function examineIpv6(egress: Egress, connecting: ConnectivityContext): Promise<Finding> {
  const subject = egress.name
  if (!canSpeakIpv6(egress, connecting.policy.allows)) {
    const saw =
      'This egress has no public IPv6 address. Mail servers without an IPv4 address cannot be probed through it.'
    return pass('ipv6', { subject, saw })
  }
  const reached = await checkConnectivity(egress, { ...connecting, dns: withoutIpv4(connecting.dns) })
  const dialled = reached.filter(({ connectivity }) => connectivity.kind !== 'not_asked')
  const saw = `Over IPv6: ${reached.map(describeCheck).join('. ')}.`
  if (dialled.length === 0)
    return unknown('ipv6', { subject, saw, says: 'None of these providers currently has an IPv6 address.' })
  if (dialled.some(({ connectivity }) => isReachable(connectivity))) return pass('ipv6', { subject, saw })
  const [first] = dialled
  const advice = adviseOn(first?.connectivity.kind ?? 'timeout', egress, first as ConnectivityCheck)
  return warn('ipv6', { subject, saw, ...advice })
}

function canSpeakIpv6({ localAddress, socks5 }: Egress, isPublic: (address: string) => boolean): boolean {
  if (socks5 !== undefined) return true // only a connection through the proxy shows whether it has IPv6
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

/** An egress with its public IP address and the source of that address; undefined if unknown. */
export type EgressAddress = {
  egress: Egress
  reached: ConnectivityCheck[]
  address: string | undefined
  known: 'told' | 'set' | 'assumed' | undefined
}

type IsPublic = (address: string) => boolean

/**
 * Finds the egress IP from mail servers and DNS only. Large providers return the client address in their EHLO reply; otherwise the
 * configured address is used if it is public, and as a last resort the address of the HELO name, marked as assumed.
 */
export async function findAddress(
  egress: Egress,
  reached: ConnectivityCheck[],
  dns: MailDns,
  isPublic: IsPublic,
): Promise<EgressAddress> {
  const told = reached.flatMap(({ connectivity }) =>
    connectivity.kind === 'reached' ? listAddresses(connectivity.hello) : [],
  )
  const seen = told.find(isPublic)
  if (seen !== undefined) return { egress, reached, address: seen, known: 'told' }
  const { localAddress, socks5 } = egress
  if (localAddress !== undefined && socks5 === undefined && isPublic(localAddress)) {
    return { egress, reached, address: localAddress, known: 'set' }
  }
  const answer = await queryDns(dns.resolve4(egress.heloName))
  const assumed = answer.kind === 'records' ? answer.records.find(isPublic) : undefined
  return { egress, reached, address: assumed, known: assumed === undefined ? undefined : 'assumed' }
}

/** IPv4 and IPv6 addresses in a text, as in "mx.google.com at your service, [192.0.2.7]". */
function listAddresses(text: string): string[] {
  return text.match(/(?<![0-9.])\d{1,3}(\.\d{1,3}){3}(?![0-9.])|(?<=\[(?:IPv6:)?)[0-9a-f:]{6,39}(?=\])/gi) ?? []
}
