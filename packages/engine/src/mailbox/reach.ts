import { getDomain } from 'tldts'
import type { Gate } from '../domain/gate.ts'
import { findMailHosts } from '../domain/mail-hosts.ts'
import { meter } from '../domain/meter.ts'
import type { MailDns } from '../domain/resolver.ts'
import type { AddressPolicy } from './address-policy.ts'
import type { Landmark } from './data/landmarks.ts'
import { type Dialled, dialHost } from './dial.ts'
import type { Egress } from './egress.ts'
import { isBreak } from './greet.ts'
import type { Break } from './inbox.ts'
import { cleanText } from './normalise-reply.ts'
import type { Reply, Stage } from './reply.ts'
import { openWire, type Wire } from './wire.ts'

type DialFailure = Extract<Dialled, { kind: 'failed' }>['failure']

/** What came of asking a mail host for a greeting. Nobody's mailbox is spoken of. */
export type Reach =
  /** It greeted us; `hello` is how it answered EHLO, and `offers` are the keywords behind that. */
  | { kind: 'reached'; banner: string; hello: string; offers: string[] }
  /** It answered and would not have us. The way to it is open all the same. */
  | { kind: 'turned_away'; stage: Extract<Stage, 'greeting' | 'ehlo'>; code: number; text: string }
  /** Somebody else answered: a box between us and the host, whose word on mailboxes must not be taken. */
  | { kind: 'intercepted'; banner: string; saidToBe: string }
  /** There is no way to it, or what stands in the way does not let us talk. */
  | { kind: 'refused' | 'timeout' | 'unreachable' | 'proxy_failed' | 'closed' | 'garbled' }
  /** Nobody was dialled, which says nothing of the way. */
  | { kind: 'not_asked'; why: 'dns_failed' | 'no_address' | 'not_routable' | 'no_mail_host' }

export type Reaching = {
  dns: MailDns
  policy: AddressPolicy
  egress: Egress
  /** On the clock of `performance.now()`. */
  deadline: number
}

/** Which host of a landmark was asked, at which address, and what came of it. */
export type Reached = { landmark: Landmark; host: string | null; address: string | null; reach: Reach; ms: number }

/** Answers that come from where we wanted to go. */
export function isThrough({ kind }: Reach): boolean {
  return kind === 'reached' || kind === 'turned_away'
}

const QUIT_WITHIN_MS = 2_000
/** Mail hosts are asked for twice where there seem to be none, and each question once more where no answer came. */
const QUESTIONS_MAX = 12
/** The resolver has a gate of its own. */
const AT_ONCE: Gate = (work) => work()

/** Asks the first mail host of each landmark for a greeting, all at once. */
export function reachLandmarks(landmarks: Landmark[], reaching: Reaching): Promise<Reached[]> {
  return Promise.all(landmarks.map((landmark) => reachLandmark(landmark, reaching)))
}

async function reachLandmark(landmark: Landmark, reaching: Reaching): Promise<Reached> {
  const began = performance.now()
  const limits = { deadline: reaching.deadline, questionsMax: QUESTIONS_MAX, gate: AT_ONCE }
  const mail = await findMailHosts(landmark.domain, meter(reaching.dns, limits))
  const [first] = mail.kind === 'hosts' ? mail.hosts : []
  if (first === undefined) {
    const why = mail.kind === 'unknown' ? 'dns_failed' : 'no_mail_host'
    return { landmark, host: null, address: null, reach: { kind: 'not_asked', why }, ms: performance.now() - began }
  }
  const { address, reach } = await reachHost(first.name, landmark.speaksAs, reaching)
  return { landmark, host: first.name, address, reach, ms: performance.now() - began }
}

/**
 * Connects to a mail host, hears its banner, says EHLO and QUIT, and nothing else. `speaksAs` are the domains that the host may
 * name itself under besides its own.
 */
export async function reachHost(
  host: string,
  speaksAs: string[],
  { dns, policy, egress, deadline }: Reaching,
): Promise<{ address: string | null; reach: Reach }> {
  const dialled = await dialHost(host, { dns, policy, egress, deadline })
  if (dialled.kind === 'failed') return { address: dialled.address, reach: asReach(dialled.failure) }
  const wire = openWire(dialled.socket)
  const reach = await hearGreeting(wire, { own: [host, ...speaksAs], heloName: egress.heloName, deadline })
  await wire.quit(Math.min(deadline, performance.now() + QUIT_WITHIN_MS))
  return { address: dialled.address, reach }
}

function asReach(failure: DialFailure): Reach {
  if (failure === 'dns_failed' || failure === 'no_address' || failure === 'not_routable') {
    return { kind: 'not_asked', why: failure }
  }
  return { kind: failure }
}

type Expected = { own: string[]; heloName: string; deadline: number }

async function hearGreeting(wire: Wire, { own, heloName, deadline }: Expected): Promise<Reach> {
  const banner = await wire.read(deadline)
  if (isBreak(banner)) return brokenOff(banner)
  const stranger = findStranger(banner, own)
  if (stranger !== undefined) return { kind: 'intercepted', banner: textOf(banner), saidToBe: stranger }
  if (banner.code !== 220) return turnedAway('greeting', banner)

  wire.say([{ verb: 'EHLO', name: heloName }], false)
  const ehlo = await wire.read(deadline)
  if (isBreak(ehlo)) return brokenOff(ehlo)
  const other = findStranger(ehlo, own)
  if (ehlo.code === 250 && other !== undefined) {
    return { kind: 'intercepted', banner: textOf(banner), saidToBe: other }
  }
  if (ehlo.code !== 250) return turnedAway('ehlo', ehlo)
  const offers = ehlo.lines.slice(1).map((line) => line.trim().split(/\s+/)[0]?.toUpperCase() ?? '')
  const hello = textOf({ ...ehlo, lines: ehlo.lines.slice(0, 1) })
  return { kind: 'reached', banner: textOf(banner), hello, offers }
}

function brokenOff({ why }: Break): Reach {
  return { kind: why === 'closed' || why === 'timeout' ? why : 'garbled' }
}

function turnedAway(stage: 'greeting' | 'ehlo', reply: Reply): Reach {
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
