import type { MailHost } from '../../domain/mail-hosts.ts'
import type { Site } from '../connections/connection.ts'
import type { DomainProfile, HostProof } from '../connections/probe-cache.ts'
import { isEncodable } from '../protocol/commands.ts'
import { makeControlRecipients } from './control-recipients.ts'
import { isBackup } from './host-state.ts'
import type { Recipient } from './request.ts'
import type { SkipReason } from './result.ts'
import {
  type HostState,
  listOpen,
  type ProbeState,
  type ProbeTime,
  type RecipientOutcome,
  setOpenResults,
  setResults,
} from './state.ts'

type ProbeStart = {
  domain: string
  site: Site
  recipients: readonly Recipient[]
  known: DomainProfile
  /** False when this egress cannot reach mail servers. */
  isReachable: boolean
}

export function startProbe({ domain, site, recipients, known, isReachable }: ProbeStart, time: ProbeTime): ProbeState {
  const state: ProbeState = {
    site,
    recipients,
    controls: makeControlRecipients(domain),
    postmaster: { path: `postmaster@${domain}`, needsUtf8: false },
    isTruthful: site.limits.truthfulDomains.includes(domain),
    hosts: new Map(site.hosts.map((host) => [host.name, createHostState(host, known.hosts?.[host.name])])),
    results: new Map(),
    excludedHosts: new Set(),
    replies: 0,
    silentConnections: 0,
    failure: undefined,
  }
  const unencodable = recipients.filter(({ path }) => !isEncodable(path))
  setResults(state, unencodable, skip('unencodable'), time)
  const reason = findSkipReason(state, isReachable)
  if (reason !== undefined) setOpenResults(state, skip(reason), time)
  return state
}

function findSkipReason(state: ProbeState, isReachable: boolean): SkipReason | undefined {
  if (state.site.limits.probe === 'D') return 'provider_unverifiable'
  if (isKnownCatchAll(state)) return 'known_catch_all'
  return isReachable ? undefined : 'no_egress'
}

/** A host of the best preference accepts every recipient, and no other host contradicts it. */
function isKnownCatchAll(state: ProbeState): boolean {
  const proofs = [...state.hosts.values()].filter(({ proof }) => proof !== undefined)
  return proofs.every(({ proof }) => proof?.value === 'accepts') && proofs.some((host) => !isBackup(state, host))
}

function createHostState({ name, preference }: MailHost, known: HostProof | undefined): HostState {
  return {
    name,
    preference,
    proof: known && { ...known, source: 'cache' },
    isProofNew: false,
    test: { step: 'control', isFirst: false, entries: [] },
    needsTest: false,
    isHosted: known !== undefined,
    doubtful: new Map(),
    accepted: undefined,
    acceptedOrder: 0,
    replied: 0,
    rejected: 0,
    confirmations: 0,
  }
}

function skip(why: SkipReason): RecipientOutcome {
  return { finding: { kind: 'unasked', why } }
}

/** RFC 6531 §3.2: without SMTPUTF8 such an address must not be sent. Another host of the domain does not offer it either. */
export function skipUtf8(state: ProbeState, host: string, time: ProbeTime): void {
  const recipients = listOpen(state).filter(({ needsUtf8 }) => needsUtf8)
  setResults(state, recipients, { ...skip('smtputf8_unsupported'), host }, time)
}
