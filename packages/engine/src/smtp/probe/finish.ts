import type { DomainProfile, HostProof } from '../connections/probe-cache.ts'
import { isBackup, isContradicted, isForeignReply, isHostedNowhere } from './host-state.ts'
import { isSound } from './invariants.ts'
import type { Recipient } from './request.ts'
import { type ProbeResult, showsMailbox } from './result.ts'
import {
  type HostState,
  type ProbeState,
  type ProbeTime,
  type RecipientOutcome,
  type RecipientResult,
  toResult,
} from './state.ts'

/** The results in the order of the request, and what the probe showed about the hosts of the domain; null if nothing is new. */
export function finishProbe(
  state: ProbeState,
  time: ProbeTime,
): { results: ProbeResult[]; learned: DomainProfile | null } {
  const results = listResults(state, time).map((result, n) => {
    const recipient = state.recipients[n]
    return recipient && isSound(state, recipient, result) ? result : toUnknown(result)
  })
  return { results, learned: findLearned(state) }
}

/** The results before their check by the invariants. */
export function listResults(state: ProbeState, time: ProbeTime): ProbeResult[] {
  return state.recipients.map((recipient) => {
    const result = state.results.get(recipient) ?? concludeOpen(state, recipient, time)
    return toProbeResult(state, recipient, { result: classifyAsControl(state, result), time })
  })
}

/** Replies that did not decide, then the failure that ended the probe. A retry may decide. */
function concludeOpen(state: ProbeState, recipient: Recipient, time: ProbeTime): RecipientResult {
  const retry = { afterMs: null }
  const replies = [...state.hosts.values()].flatMap(({ doubtful }) => doubtful.get(recipient) ?? [])
  const [first] = replies
  if (first === undefined) {
    const timedOut: RecipientOutcome = { finding: { kind: 'unanswered', why: 'timeout' }, retry }
    return toResult(state, state.failure ?? timedOut, time)
  }
  const accepted = replies.find(({ finding }) => finding.kind === 'accepted')
  if (accepted) return { ...accepted, retry }
  if (isForeignReply(first) && first.finding.kind === 'refused') {
    if (isHostedNowhere(state)) return first
    return { ...first, finding: { ...first.finding, reason: 'server_error' }, retry }
  }
  return { ...first, finding: { kind: 'unanswered', why: 'unconfirmed_rejection' }, retry }
}

/**
 * A reply that no rule classifies is that of an unknown mailbox if the host rejected the control recipient in the same words and accepted
 * another recipient afterwards: so the words are not those of a ban.
 */
function classifyAsControl({ hosts }: ProbeState, result: RecipientResult): RecipientResult {
  const { finding, host, text, order } = result
  const { proof, acceptedOrder = 0 } = hosts.get(host ?? '') ?? {}
  if (finding.kind !== 'refused' || text === undefined || finding.code < 500) return result
  if (proof?.value !== 'rejects' || proof.refusal !== text || acceptedOrder <= order) return result
  return { ...result, finding: { ...finding, reason: 'mailbox_not_found' } }
}

type Finished = { result: RecipientResult; time: ProbeTime }

function toProbeResult(state: ProbeState, recipient: Recipient, { result, time }: Finished): ProbeResult {
  const { finding, transcript, at, ms, retry } = result
  const host = state.hosts.get(result.host ?? '')
  const { acceptAll, acceptAllSource } = acceptAllOf(state, result, host)
  const found: ProbeResult = { finding, acceptAll, acceptAllSource, host: result.host, transcript, at, ms }
  if (retry) found.retry = retry
  if (host === undefined || !showsMailbox(finding)) return found
  return Object.assign(found, testEvidence(state, recipient, { found, host, time }))
}

type AcceptAll = Pick<ProbeResult, 'acceptAll' | 'acceptAllSource'>

/** Whether the host that replied accepts every recipient. A backup host's acceptance says nothing about the domain. */
function acceptAllOf(state: ProbeState, { finding }: RecipientResult, host: HostState | undefined): AcceptAll {
  if (finding.kind === 'unasked' && finding.why === 'known_catch_all')
    return { acceptAll: 'yes', acceptAllSource: 'cache' }
  if (state.isTruthful) return { acceptAll: 'no', acceptAllSource: 'provider' }
  const proof = host?.proof
  if (host === undefined || proof === undefined) return { acceptAll: 'untested', acceptAllSource: 'live' }
  if (proof.value === 'rejects') return { acceptAll: 'no', acceptAllSource: proof.source }
  if (isBackup(state, host) || isContradicted(state, host)) return { acceptAll: 'untested', acceptAllSource: 'live' }
  return { acceptAll: 'yes', acceptAllSource: proof.source }
}

type Tested = { found: ProbeResult; host: HostState; time: ProbeTime }

/** An acceptance counts only with the result of the catch-all test; while that is unknown, a retry makes sense. */
function testEvidence(state: ProbeState, recipient: Recipient, { found, host, time }: Tested): Partial<ProbeResult> {
  const { entries, deferral } = host.test
  const transcript = entries.length === 0 ? found.transcript : [...found.transcript, ...entries]
  if (found.acceptAll !== 'untested') return { transcript }
  if (isContradicted(state, host)) return { transcript, retry: { afterMs: null }, untestedFor: 'hosts_disagree' }
  if (deferral) return { transcript, retry: { afterMs: deferral.afterMs }, untestedFor: deferral.reason }
  if (recipient.skipsControl) return { untestedFor: 'not_wanted' }
  return { transcript, retry: { afterMs: null }, ...(time.isLate && { untestedFor: 'timeout' }) }
}

/** A result that the replies do not support would be a defect of this code. Unknown is the only safe verdict then. */
function toUnknown(result: ProbeResult): ProbeResult {
  const { finding } = result
  const code = finding.kind === 'refused' || finding.kind === 'accepted' ? finding.code : 0
  return { ...result, finding: { kind: 'refused', code, reason: 'server_error' }, retry: { afterMs: null } }
}

function findLearned({ hosts }: ProbeState): DomainProfile | null {
  const all = [...hosts.values()]
  if (!all.some(({ isProofNew }) => isProofNew)) return null
  const proofs = all.flatMap(({ name, proof }): [string, HostProof][] => {
    if (proof === undefined) return []
    const { source: _source, ...kept } = proof
    return [[name, kept]]
  })
  return { hosts: Object.fromEntries(proofs) }
}
