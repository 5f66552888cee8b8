import type { Semaphore } from '@probity/concurrency/scheduling'
import { getDomain } from 'tldts'
import { findMailHosts } from '../../domain/mail-hosts.ts'
import { limitQueries, type MailDns } from '../../domain/resolver.ts'
import type { AddressPolicy } from '../protocol/address-policy.ts'
import { type DialResult, dialHost, type Egress } from '../protocol/dial.ts'
import { isDisconnect } from '../protocol/handshake.ts'
import type { Reply, Stage } from '../protocol/reply-reader.ts'
import { createSmtpSocket, type Disconnect, type SmtpSocket } from '../protocol/socket.ts'
import { cleanText } from '../replies/reply-text.ts'
import type { ReferenceHost } from './data/reference-hosts.ts'

type DialFailure = Extract<DialResult, { kind: 'failed' }>['failure']

/** Result of requesting a greeting from a mail host. No mailbox is probed. */
export type Connectivity =
  /** The host greeted us; `hello` is the first line of its EHLO reply, `capabilities` are the keywords after it. */
  | { kind: 'reached'; banner: string; hello: string; capabilities: string[] }
  /** The host replied with a rejection. The network path to it works. */
  | { kind: 'turned_away'; stage: Extract<Stage, 'greeting' | 'ehlo'>; code: number; text: string }
  /** Another device replied: a middlebox between us and the host, whose replies about mailboxes must not be used. */
  | { kind: 'intercepted'; banner: string; claimedName: string }
  /** The network path to the host fails, or a device on it prevents an SMTP session. */
  | { kind: 'refused' | 'timeout' | 'unreachable' | 'proxy_failed' | 'closed' | 'garbled' }
  /** No connection was attempted, so the network path is unknown. */
  | { kind: 'not_asked'; why: 'dns_failed' | 'no_address' | 'not_routable' | 'no_mail_host' }

export type ConnectivityOptions = {
  dns: MailDns
  policy: AddressPolicy
  egress: Egress
  /** On the clock of `performance.now()`. */
  deadline: number
}

/** The host of a reference provider that was contacted, its address, and the result. */
export type ConnectivityCheck = {
  referenceHost: ReferenceHost
  host: string | null
  address: string | null
  connectivity: Connectivity
  ms: number
}

/** Whether the reply came from the host itself. */
export function isReachable({ kind }: Connectivity): boolean {
  return kind === 'reached' || kind === 'turned_away'
}

const QUIT_WITHIN_MS = 2_000
/** `findMailHosts` repeats negative responses, and each query is repeated once if there was no response. */
const QUERIES_MAX = 12
/** The resolver limits concurrency itself. */
const AT_ONCE: Semaphore = (work) => work()

/** Requests a greeting from the first mail host of each reference provider, all at once. */
export function checkReferenceHosts(
  referenceHosts: ReferenceHost[],
  options: ConnectivityOptions,
): Promise<ConnectivityCheck[]> {
  return Promise.all(referenceHosts.map((host) => checkReferenceHost(host, options)))
}

async function checkReferenceHost(
  referenceHost: ReferenceHost,
  options: ConnectivityOptions,
): Promise<ConnectivityCheck> {
  const began = performance.now()
  const limits = { deadline: options.deadline, queriesMax: QUERIES_MAX, semaphore: AT_ONCE }
  const mail = await findMailHosts(referenceHost.domain, limitQueries(options.dns, limits))
  const [first] = mail.kind === 'hosts' ? mail.hosts : []
  if (first === undefined) {
    const why = mail.kind === 'unknown' ? 'dns_failed' : 'no_mail_host'
    return {
      referenceHost,
      host: null,
      address: null,
      connectivity: { kind: 'not_asked', why },
      ms: performance.now() - began,
    }
  }
  const { address, connectivity } = await checkHost(first.name, referenceHost.greetsAs, options)
  return { referenceHost, host: first.name, address, connectivity, ms: performance.now() - began }
}

/**
 * Connects to a mail host, reads its banner, and sends EHLO and QUIT, nothing else. `greetsAs` are the domains that the host may use in
 * its greeting besides its own.
 */
export async function checkHost(
  host: string,
  greetsAs: string[],
  { dns, policy, egress, deadline }: ConnectivityOptions,
): Promise<{ address: string | null; connectivity: Connectivity }> {
  const dialed = await dialHost(host, { dns, policy, egress, deadline })
  if (dialed.kind === 'failed') return { address: dialed.address, connectivity: toConnectivity(dialed.failure) }
  const socket = createSmtpSocket(dialed.socket)
  const connectivity = await readGreeting(socket, { own: [host, ...greetsAs], heloName: egress.heloName, deadline })
  await socket.quit(Math.min(deadline, performance.now() + QUIT_WITHIN_MS))
  return { address: dialed.address, connectivity }
}

function toConnectivity(failure: DialFailure): Connectivity {
  if (failure === 'dns_failed' || failure === 'no_address' || failure === 'not_routable') {
    return { kind: 'not_asked', why: failure }
  }
  return { kind: failure }
}

type Expected = { own: string[]; heloName: string; deadline: number }

async function readGreeting(socket: SmtpSocket, { own, heloName, deadline }: Expected): Promise<Connectivity> {
  const banner = await socket.read(deadline)
  if (isDisconnect(banner)) return toDisconnected(banner)
  const foreign = findForeignName(banner, own)
  if (foreign !== undefined) return { kind: 'intercepted', banner: textOf(banner), claimedName: foreign }
  if (banner.code !== 220) return toTurnedAway('greeting', banner)

  socket.send([{ verb: 'EHLO', name: heloName }], false)
  const ehlo = await socket.read(deadline)
  if (isDisconnect(ehlo)) return toDisconnected(ehlo)
  const other = findForeignName(ehlo, own)
  if (ehlo.code === 250 && other !== undefined) {
    return { kind: 'intercepted', banner: textOf(banner), claimedName: other }
  }
  if (ehlo.code !== 250) return toTurnedAway('ehlo', ehlo)
  const capabilities = ehlo.lines.slice(1).map((line) => line.trim().split(/\s+/)[0]?.toUpperCase() ?? '')
  const hello = textOf({ ...ehlo, lines: ehlo.lines.slice(0, 1) })
  return { kind: 'reached', banner: textOf(banner), hello, capabilities }
}

function toDisconnected({ why }: Disconnect): Connectivity {
  return { kind: why === 'closed' || why === 'timeout' ? why : 'garbled' }
}

function toTurnedAway(stage: 'greeting' | 'ehlo', reply: Reply): Connectivity {
  return { kind: 'turned_away', stage, code: reply.code, text: textOf(reply) }
}

function textOf({ lines }: Reply): string {
  return cleanText(lines.join(' '))
}

/**
 * The name in a greeting that is not the host's own. RFC 5321 §4.2 and §4.1.1.1: the first word of the banner and of the EHLO reply is
 * the server's own name. A word that is not a host name proves nothing, unless it is masked: firewalls that inspect SMTP replace text
 * with asterisks.
 */
function findForeignName({ code, lines }: Reply, own: string[]): string | undefined {
  const [word = ''] = lines[0]?.trim().toLowerCase().split(/\s+/) ?? []
  if (/^\*{4,}/.test(word)) return word.slice(0, 40)
  // The first word of a rejection is not a name.
  if (code >= 400 || !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(word)) return undefined
  const domains = new Set(own.map((name) => getDomain(name)))
  return domains.has(getDomain(word)) ? undefined : word
}
