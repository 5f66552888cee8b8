import type { Recipient } from './request.ts'
import type { HostState, ProbeState, RecipientResult } from './state.ts'

/** A host with a higher preference number than another one that may serve the domain (RFC 5321 §5.1). */
export function isBackup({ hosts }: ProbeState, host: HostState): boolean {
  return [...hosts.values()].some((other) => other.preference < host.preference && !isForeign(other))
}

/** Hosts of the same preference, where nothing proves that one operator runs them: they may differ. */
export function listPeers(state: ProbeState, host: HostState): HostState[] {
  if (state.site.provider !== '') return []
  const peers = [...state.hosts.values()].filter((other) => other !== host && other.preference === host.preference)
  return isBackup(state, host) ? [] : peers
}

/** The host rejected two different recipients because it does not serve the domain, and showed nothing else. One reply may be an error. */
export function isForeign({ isHosted, doubtful }: HostState): boolean {
  return !isHosted && [...doubtful.values()].filter(isForeignReply).length >= 2
}

export function isForeignReply({ finding }: RecipientResult): boolean {
  return finding.kind === 'refused' && finding.reason === 'domain_not_hosted'
}

/** No host serves the domain. */
export function isHostedNowhere({ hosts }: ProbeState): boolean {
  return [...hosts.values()].every(isForeign)
}

/**
 * Whether rejections of the host count by themselves: it is the most preferred one, or it has also accepted a recipient. A backup host
 * with an old list rejects every recipient, and so does one of several equal hosts that lost its list.
 */
export function isTrusted(state: ProbeState, host: HostState): boolean {
  if (state.isTruthful || host.acceptedOrder > 0 || host.proof?.hasAccepted === true) return true
  return !isBackup(state, host) && listPeers(state, host).length === 0
}

/** A recipient of the domain was accepted: doubtful rejections of the host count, and it serves the domain. */
export function recordAcceptance(state: ProbeState, host: HostState, recipient: Recipient): void {
  if (recipient !== state.postmaster) host.accepted = recipient
  host.acceptedOrder = state.replies
  if (host.proof?.value === 'rejects' && host.proof.hasAccepted !== true) {
    host.proof.hasAccepted = true
    host.isProofNew = true
  }
  recordHosted(state, host)
  recordDoubtful(state, host)
}

/** The host serves the domain, so "relay denied" was its policy for one recipient. */
export function recordHosted(state: ProbeState, host: HostState): void {
  if (host.isHosted) return
  host.isHosted = true
  for (const [recipient, result] of host.doubtful) {
    if (!isForeignReply(result) || result.finding.kind !== 'refused') continue
    host.doubtful.delete(recipient)
    const policy = { ...result, finding: { ...result.finding, reason: 'policy_rejected' as const } }
    if (isRequested(state, recipient)) state.results.set(recipient, policy)
  }
}

function recordDoubtful(state: ProbeState, { doubtful }: HostState): void {
  for (const [recipient, result] of doubtful) {
    if (result.finding.kind !== 'refused' || isForeignReply(result)) continue
    doubtful.delete(recipient)
    if (!state.results.has(recipient)) state.results.set(recipient, result)
  }
}

function isRequested(state: ProbeState, recipient: Recipient): boolean {
  return !state.controls.includes(recipient) && !state.results.has(recipient)
}

/** Two hosts of the best preference rejected the recipient as missing: the result is the first one's reply. */
export function recordTwiceRejected(state: ProbeState, recipient: Recipient): void {
  const replies = [...state.hosts.values()].flatMap((host) => {
    const result = host.doubtful.get(recipient)
    return result && !isBackup(state, host) && result.finding.kind === 'refused' && !isForeignReply(result)
      ? [result]
      : []
  })
  const [first, second] = replies
  if (first && second && !state.results.has(recipient)) state.results.set(recipient, first)
}

/**
 * A host has a new proof. Recipients that it accepted like any other are sent to a host of the same preference that knows its
 * recipients; its acceptances count only if that host stays silent.
 */
export function reopenContradicted(state: ProbeState): void {
  for (const host of state.hosts.values()) {
    if (!isContradicted(state, host)) continue
    for (const [recipient, result] of state.results) {
      if (result.host !== host.name || result.finding.kind !== 'accepted') continue
      host.doubtful.set(recipient, result)
      state.results.delete(recipient)
    }
  }
}

/** The host accepts every recipient, and another one of the same preference does not. */
export function isContradicted(state: ProbeState, host: HostState): boolean {
  return host.proof?.value === 'accepts' && listPeers(state, host).some(({ proof }) => proof?.value === 'rejects')
}
