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

/** What came of asking a mail host for a greeting. Nobody's mailbox is spoken of. */
export type Connectivity =
  /** It greeted us; `hello` is how it answered EHLO, and `offers` are the keywords behind that. */
  | { kind: 'reached'; banner: string; hello: string; capabilities: string[] }
  /** It answered and would not have us. The way to it is open all the same. */
  | { kind: 'turned_away'; stage: Extract<Stage, 'greeting' | 'ehlo'>; code: number; text: string }
  /** Somebody else answered: a box between us and the host, whose word on mailboxes must not be taken. */
  | { kind: 'intercepted'; banner: string; claimedName: string }
  /** There is no way to it, or what stands in the way does not let us talk. */
  | { kind: 'refused' | 'timeout' | 'unreachable' | 'proxy_failed' | 'closed' | 'garbled' }
  /** Nobody was dialed, which says nothing of the way. */
  | { kind: 'not_asked'; why: 'dns_failed' | 'no_address' | 'not_routable' | 'no_mail_host' }

export type ConnectivityOptions = {
  dns: MailDns
  policy: AddressPolicy
  egress: Egress
  /** On the clock of `performance.now()`. */
  deadline: number
}

/** Which host of a landmark was asked, at which address, and what came of it. */
export type ConnectivityCheck = {
  referenceHost: ReferenceHost
  host: string | null
  address: string | null
  connectivity: Connectivity
  ms: number
}

/** Answers that come from where we wanted to go. */
export function isReachable({ kind }: Connectivity): boolean {
  return kind === 'reached' || kind === 'turned_away'
}

const QUIT_WITHIN_MS = 2_000
/** Mail hosts are asked for twice where there seem to be none, and each question once more where no answer came. */
const QUERIES_MAX = 12
/** The resolver limits concurrency itself. */
const AT_ONCE: Semaphore = (work) => work()

/** Asks the first mail host of each landmark for a greeting, all at once. */
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
 * Connects to a mail host, hears its banner, says EHLO and QUIT, and nothing else. `greetsAs` are the domains that the host may
 * name itself under besides its own.
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
  if (isDisconnect(banner)) return brokenOff(banner)
  const stranger = findStranger(banner, own)
  if (stranger !== undefined) return { kind: 'intercepted', banner: textOf(banner), claimedName: stranger }
  if (banner.code !== 220) return turnedAway('greeting', banner)

  socket.send([{ verb: 'EHLO', name: heloName }], false)
  const ehlo = await socket.read(deadline)
  if (isDisconnect(ehlo)) return brokenOff(ehlo)
  const other = findStranger(ehlo, own)
  if (ehlo.code === 250 && other !== undefined) {
    return { kind: 'intercepted', banner: textOf(banner), claimedName: other }
  }
  if (ehlo.code !== 250) return turnedAway('ehlo', ehlo)
  const capabilities = ehlo.lines.slice(1).map((line) => line.trim().split(/\s+/)[0]?.toUpperCase() ?? '')
  const hello = textOf({ ...ehlo, lines: ehlo.lines.slice(0, 1) })
  return { kind: 'reached', banner: textOf(banner), hello, capabilities }
}

function brokenOff({ why }: Disconnect): Connectivity {
  return { kind: why === 'closed' || why === 'timeout' ? why : 'garbled' }
}

function turnedAway(stage: 'greeting' | 'ehlo', reply: Reply): Connectivity {
  return { kind: 'turned_away', stage, code: reply.code, text: textOf(reply) }
}

function textOf({ lines }: Reply): string {
  return cleanText(lines.join(' '))
}

/**
 * The name of somebody else, if one answers. RFC 5321 §4.2 and §4.1.1.1: the first word of the banner and of the answer to EHLO is
 * the server's own name. A word that is no host name says nothing, except where it was blotted out: firewalls that read along in
 * mail write asterisks over what they do not want to be seen.
 */
function findStranger({ code, lines }: Reply, own: string[]): string | undefined {
  const [word = ''] = lines[0]?.trim().toLowerCase().split(/\s+/) ?? []
  if (/^\*{4,}/.test(word)) return word.slice(0, 40)
  // A refusal is a sentence, and what stands first in it is not a name.
  if (code >= 400 || !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(word)) return undefined
  const domains = new Set(own.map((name) => getDomain(name)))
  return domains.has(getDomain(word)) ? undefined : word
}
