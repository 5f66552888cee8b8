import { normalizeReply, toTranscriptEntry } from '../replies/reply-text.ts'
import type { Classification } from '../replies/rules.ts'
import type { RecipientReply } from './conversation.ts'
import { recordAcceptance, recordHosted, reopenContradicted } from './host-state.ts'
import { listSinceAcceptance } from './next-recipients.ts'
import { append, close, learnLimit, type Outcome, type ReplyContext, reuse } from './outcome-parts.ts'
import { backOff, classifyRejection, isAboutUs } from './rejection.ts'
import { getHost, type HostState, type ProbeState, toResult } from './state.ts'
import { findUnbound } from './unbound.ts'

/** Applies the reply to a control recipient: what it proves about the host. */
export function applyControlReply(state: ProbeState, received: RecipientReply, context: ReplyContext): Outcome {
  const { recipient, reply } = received
  const { connection, time } = context
  const host = getHost(state, connection.host)
  if (reply.code < 300) {
    host.test.entries.push(toTranscriptEntry('control', reply, recipient.path))
    prove(state, host, { value: 'accepts', evidence: 'control', at: time.unixS })
    recordHosted(state, host)
    return reuse()
  }
  const rejection = { host: host.name, stage: 'rcpt', reply, recipient: recipient.path } as const
  const { classification, effects } = classifyRejection(rejection, context)
  const unbound = findUnbound(received, { ...context, classification })
  const before = append(reuse(effects), unbound.outcome)
  if (unbound.isOpen) return before

  const { reason } = classification
  host.test.entries.push(toTranscriptEntry('control', reply, recipient.path))
  if (reason === 'domain_not_hosted' && !host.isHosted) {
    const finding = { kind: 'refused', code: reply.code, reason } as const
    host.doubtful.set(recipient, toResult(state, { finding, host: host.name }, time))
    return before
  }
  const text = normalizeReply(reply, recipient.path)
  if (reason === 'mailbox_not_found' || reason === 'mailbox_disabled') {
    recordHosted(state, host)
    prove(state, host, { value: 'rejects', evidence: 'control', at: time.unixS, refusal: text })
    return before
  }
  continueTest(host, { classification, code: reply.code, text })
  if (!isAboutUs(classification)) return before
  return append(before, close(backOff(state, host.name, { ...context, classification })))
}

function prove(state: ProbeState, host: HostState, proof: Omit<NonNullable<HostState['proof']>, 'source'>): void {
  host.proof = { ...proof, ...(host.acceptedOrder > 0 && { hasAccepted: true }), source: 'live' }
  host.isProofNew = true
  host.test.step = 'over'
  reopenContradicted(state)
}

type ControlRejection = { classification: Classification; code: number; text: string }

/**
 * A rejection that does not say that the mailbox is unknown proves nothing by itself: it may be about the name, or a ban. The second
 * control recipient and a repeated recipient tell.
 */
function continueTest({ test }: HostState, { classification, code, text }: ControlRejection): void {
  const { reason, scope, retryAfterMs: afterMs } = classification
  const isVague = code >= 500 && (reason === 'unclassified' || scope === 'mailbox' || scope === 'domain')
  if (isVague && test.step === 'control') {
    Object.assign(test, { step: 'second', refusal: text })
  } else if (isVague && test.step === 'second' && text === test.refusal) {
    test.step = 'repeat'
  } else {
    Object.assign(test, { step: 'over', deferral: { reason, afterMs } })
  }
}

/** A host in step `repeat` accepted a recipient: it tells recipients apart, whatever its words for unknown ones. */
export function proveByAcceptance(state: ProbeState, host: HostState, { time }: ReplyContext): void {
  const { step, refusal } = host.test
  if (step !== 'repeat' || refusal === undefined) return
  prove(state, host, { value: 'rejects', evidence: 'repeated', at: time.unixS, refusal })
}

/** Applies the reply to a recipient that was sent again, or to the postmaster, because replies after its acceptance are doubtful. */
export function applyRepeatedReply(state: ProbeState, received: RecipientReply, context: ReplyContext): Outcome {
  const { recipient, reply } = received
  const { connection } = context
  const host = getHost(state, connection.host)
  host.confirmations += 1
  const isRepeat = host.test.step === 'repeat'
  if (isRepeat) host.test.entries.push(toTranscriptEntry('repeated', reply, recipient.path))
  if (reply.code === 250 || reply.code === 251) {
    recordAcceptance(state, host, recipient)
    proveByAcceptance(state, host, context)
    return reuse()
  }
  const rejection = { host: host.name, stage: 'rcpt', reply, recipient: recipient.path } as const
  const { classification, effects } = classifyRejection(rejection, context)
  const before = reuse(effects)
  if (recipient === state.postmaster) return before

  const { reason, retryAfterMs: afterMs } = classification
  const errorsBefore = connection.rejected - distrust(state, host) - host.test.entries.length
  if (isRepeat) restartTest(host, { reason, afterMs })
  if (isAboutUs(classification)) {
    return append(before, close(backOff(state, host.name, { ...context, classification })))
  }
  return append(before, close([learnLimit(host.name, { errorsMax: Math.max(1, errorsBefore) })]))
}

/** The host rejects recipients that it has accepted: rejections since then were about the session, and a retry may succeed. */
function distrust(state: ProbeState, host: HostState): number {
  const { rejections, unclassified } = listSinceAcceptance(state, host)
  for (const result of rejections) {
    if (result.finding.kind === 'refused') result.finding = { ...result.finding, reason: 'too_many_errors' }
  }
  for (const result of [...rejections, ...unclassified]) result.retry = { afterMs: null }
  return rejections.length + unclassified.length
}

/** Once more on a new connection, where the control recipients come before a ban. */
function restartTest(host: HostState, deferral: NonNullable<HostState['test']['deferral']>): void {
  const { isFirst, entries } = host.test
  host.test = isFirst
    ? { step: 'over', isFirst, entries, deferral }
    : { step: 'control', isFirst: true, entries: [], deferral }
}
