import {
  isBackup,
  isContradicted,
  isForeign,
  isForeignReply,
  isHostedNowhere,
  isTrusted,
  listPeers,
} from './host-state.ts'
import type { Recipient } from './request.ts'
import { getHost, type HostState, listOpen, type ProbeState, type RecipientResult } from './state.ts'

/** Rejections by a host that has accepted nothing; then one of the same preference is asked before more are sent. */
const DOUBTFUL_MAX = 2

/** The hosts that can still contribute to a result. */
export function hostsToProbe(state: ProbeState): string[] {
  const names = [...state.hosts.keys()].filter((name) => !state.excludedHosts.has(name))
  return names.filter((name) => nextRecipients(state, name, 1).length > 0)
}

/**
 * The recipients to send to a host next: those of the request and, as soon as an acceptance has to be proven, a control recipient before
 * the others, because session limits and bans affect the last recipients. At a host whose acceptances may not count it is sent alone.
 */
export function nextRecipients(state: ProbeState, name: string, max: number): Recipient[] {
  if (max < 1) return []
  const host = getHost(state, name)
  if (isForeign(host)) return isHostedNowhere(state) ? listNeverSent(state).slice(0, max) : []
  const control = nextControl(state, host)
  if (control && comesFirst(state, host)) return [control]
  if (isUseless(state, host)) return []

  const recipients = listOpen(state).filter((recipient) => !host.doubtful.has(recipient))
  if (control) return [control, ...recipients].slice(0, max)
  if (recipients.length > 0) return recipients.slice(0, max)
  return isServiceUnproven(state, host) ? [state.controls[0]] : []
}

/** No host serves the domain, but only an own reply makes an address invalid. */
function listNeverSent(state: ProbeState): Recipient[] {
  const hosts = [...state.hosts.values()]
  return listOpen(state).filter((recipient) => !hosts.some(({ doubtful }) => doubtful.has(recipient)))
}

/** A host that replied to one recipient that it does not serve the domain gets a second, different one. */
function isServiceUnproven({ controls }: ProbeState, { isHosted, doubtful }: HostState): boolean {
  return !isHosted && !doubtful.has(controls[0]) && [...doubtful.values()].some(isForeignReply)
}

/** Whether replies of the host to further recipients could not count. */
function isUseless(state: ProbeState, host: HostState): boolean {
  const isTested = host.proof !== undefined || !wantsControl(state)
  if (isBackup(state, host)) return host.proof?.value === 'accepts' || (!isTested && host.test.step === 'over')
  if (isContradicted(state, host)) return true
  const peers = listPeers(state, host).filter(({ name }) => !state.excludedHosts.has(name))
  if (host.proof?.value === 'accepts' && peers.some((peer) => isTestable(state, peer))) return true
  return isDoubted(state, host) && peers.some((peer) => !isDoubted(state, peer))
}

function isTestable(state: ProbeState, { proof, test }: HostState): boolean {
  return proof === undefined && test.step !== 'over' && wantsControl(state)
}

/** It has rejected every recipient so far, and rejections alone are doubtful. */
function isDoubted(state: ProbeState, host: HostState): boolean {
  return !isTrusted(state, host) && host.doubtful.size >= DOUBTFUL_MAX
}

/** The next recipient of the catch-all test of a host; undefined if it is not needed or over. */
export function nextControl(state: ProbeState, host: HostState): Recipient | undefined {
  if (!needsProof(state, host)) return undefined
  if (host.test.step === 'control') return state.controls[0]
  return host.test.step === 'second' ? state.controls[1] : host.accepted
}

/** Whether an acceptance by the host has to be proven, or the host is tested before it gets any recipient. */
function needsProof(state: ProbeState, host: HostState): boolean {
  if (state.isTruthful || host.proof !== undefined || host.test.step === 'over') return false
  return host.needsTest || (comesFirst(state, host) && wantsControl(state))
}

function wantsControl({ recipients, isTruthful }: ProbeState): boolean {
  return !isTruthful && recipients.some(({ skipsControl }) => skipsControl !== true)
}

/** A backup host is tested before it gets any recipient, and so is one of several equal hosts if it may contradict the others. */
function comesFirst(state: ProbeState, host: HostState): boolean {
  if (host.test.isFirst || isBackup(state, host)) return true
  const peers = listPeers(state, host)
  return peers.length > 0 && [host, ...peers].some((peer) => peer.acceptedOrder > 0 || peer.proof?.value === 'accepts')
}

/** So many times is a recipient sent again to one host, at most. */
const CONFIRMATIONS_MAX = 2
/** A run of rejections that would be chance less often than this is checked. */
const CHANCE_MIN = 0.01
const RUN_MIN = 4

/**
 * A recipient that must be accepted, if replies of the host are doubtful after its last acceptance: a ban or a session limit may reject
 * every recipient in words that seem to be about one mailbox. Without an accepted recipient it is the postmaster.
 */
export function findConfirmation(state: ProbeState, host: HostState): Recipient | undefined {
  if (host.confirmations >= CONFIRMATIONS_MAX || isContradicted(state, host)) return undefined
  const { rejections, unclassified } = listSinceAcceptance(state, host)
  if (host.accepted) {
    const chance = (host.rejected / Math.max(1, host.replied)) ** rejections.length
    const isRun = rejections.length >= RUN_MIN && chance < CHANCE_MIN
    return isRun || unclassified.length > 0 ? host.accepted : undefined
  }
  const isAsControl = ({ text }: RecipientResult) => host.proof?.value === 'rejects' && text === host.proof.refusal
  return host.confirmations === 0 && unclassified.some(isAsControl) ? state.postmaster : undefined
}

/** The results of a host since it last accepted a recipient: rejections of unknown mailboxes, and those that no rule classifies. */
export function listSinceAcceptance({ results }: ProbeState, { name, acceptedOrder }: HostState) {
  const since = [...results.values()].filter(({ host, order }) => host === name && order > acceptedOrder)
  return {
    rejections: since.filter(({ finding }) => finding.kind === 'refused' && finding.reason === 'mailbox_not_found'),
    unclassified: since.filter(({ finding }) => isUnclassified(finding)),
  }
}

function isUnclassified(finding: RecipientResult['finding']): boolean {
  return finding.kind === 'refused' && finding.reason === 'unclassified' && finding.code >= 500
}
