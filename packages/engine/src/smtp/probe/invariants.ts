import { INVALIDATING } from '../replies/rules.ts'
import { isBackup, isContradicted, isForeign, isTrusted } from './host-state.ts'
import type { Recipient } from './request.ts'
import { type Finding, type ProbeResult, showsMailbox } from './result.ts'
import type { HostState, ProbeState } from './state.ts'

/**
 * Whether the replies of the probe support a result. What is neither invalid, valid nor a catch-all by these rules is unknown, so there is
 * nothing to check.
 *
 * - Invalid: the address itself was sent, and the reply to it, with a code of 400 or higher, is in its transcript. The host has accepted
 *   another recipient, is the most preferred one, or is confirmed by another host.
 * - Invalid, domain not hosted: every host rejected two different recipients so, and none accepted one.
 * - Valid: accepted by a host that rejected a control recipient, or by a provider whose acceptances are known to be reliable.
 * - Catch-all: accepted by a host that accepted a control recipient. The host is no backup, and none of the same preference contradicts it.
 */
export function isSound(state: ProbeState, recipient: Recipient, result: ProbeResult): boolean {
  const { finding, acceptAll } = result
  const host = state.hosts.get(result.host ?? '')
  if (isInvalid(finding)) return host !== undefined && isSoundRejection(state, recipient, { result, host })
  if (finding.kind === 'unasked') return true
  if (!showsMailbox(finding)) return true
  if (!hasOwnReply(result, [250, 251]) && finding.kind === 'accepted') return false
  if (acceptAll === 'no') return state.isTruthful || host?.proof?.value === 'rejects'
  if (acceptAll === 'untested') return true
  return host?.proof?.value === 'accepts' && !isBackup(state, host) && !isContradicted(state, host)
}

function isInvalid(finding: Finding): boolean {
  return finding.kind === 'refused' && INVALIDATING.has(finding.reason)
}

type Rejected = { result: ProbeResult; host: HostState }

function isSoundRejection(state: ProbeState, recipient: Recipient, { result, host }: Rejected): boolean {
  const { finding } = result
  if (finding.kind !== 'refused' || finding.code < 400 || !hasOwnReply(result, [finding.code])) return false
  const hosts = [...state.hosts.values()]
  if (finding.reason === 'domain_not_hosted') return hosts.every(isForeign)
  const rejectedBy = hosts.filter((other) => !isBackup(state, other) && other.doubtful.has(recipient))
  return isTrusted(state, host) || rejectedBy.length >= 2
}

function hasOwnReply({ transcript }: ProbeResult, codes: number[]): boolean {
  return transcript.some(({ stage, code }) => stage === 'rcpt' && codes.includes(code))
}
