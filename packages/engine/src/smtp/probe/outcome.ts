import type { ConnectFailure } from '../connections/open-connection.ts'
import type { HostProfile } from '../connections/probe-cache.ts'
import type { Throttle } from '../connections/rate-limiter.ts'
import { nextWindowSize } from '../connections/recipient-window.ts'
import type { Reply } from '../protocol/reply-reader.ts'
import type { Disconnect } from '../protocol/socket.ts'
import { normalizeReply, toTranscriptEntry } from '../replies/reply-text.ts'
import { type Classification, INVALIDATING } from '../replies/rules.ts'
import { applyControlReply, applyRepeatedReply, proveByAcceptance } from './control-outcome.ts'
import type { Exchange, RecipientReply } from './conversation.ts'
import { isTrusted, recordAcceptance, recordHosted, recordTwiceRejected } from './host-state.ts'
import {
  append,
  close,
  learnLimit,
  NO_CHANGES,
  type Outcome,
  type ReplyConnection,
  type ReplyContext,
  reuse,
} from './outcome-parts.ts'
import { backOff, classifyRejection, isAboutUs, type OutcomeContext, type Rejection, retryFor } from './rejection.ts'
import type { Recipient, ReplyObservation } from './request.ts'
import { type FailureReason, type Finding, showsMailbox } from './result.ts'
import {
  type Effect,
  getHost,
  type HostState,
  type ProbeState,
  type ProbeTime,
  type RecipientOutcome,
  setOpenResults,
  toResult,
} from './state.ts'
import { findUnbound } from './unbound.ts'

type ExchangeContext = ReplyContext & {
  /** The cached profile of the host. Read only if MAIL was rejected. */
  known: HostProfile
}

/** Applies an exchange to the state: the replies in their order, then a rejected MAIL, then a lost connection. */
export function applyExchange(state: ProbeState, exchange: Exchange, context: ExchangeContext): Outcome {
  const { connection, known } = context
  const { mailRejection, disconnect } = exchange
  let outcome = mailRejection === null && disconnect === null ? reuse() : close()
  let current: ReplyContext = context
  for (const received of exchange.replies) {
    const next = applyReply(state, received, current)
    if (next.changes !== NO_CHANGES) {
      current = { ...current, connection: { ...current.connection, ...next.changes } }
    }
    outcome = append(outcome, next)
  }
  if (mailRejection) {
    const rejection = { host: connection.host, stage: 'mail', reply: mailRejection } as const
    const learned = { ...context, known: { ...known, ...learnedFrom(outcome.effects) } }
    outcome = append(outcome, applyRejection(state, rejection, learned))
  }
  if (disconnect) outcome = append(outcome, applyDisconnect(state, { ...exchange, disconnect }, connection))
  return outcome.connection === 'reusable' ? append(outcome, widenWindow(connection)) : outcome
}

function learnedFrom(effects: Effect[]): HostProfile {
  return Object.assign({}, ...effects.map((effect) => (effect.kind === 'learn_host' ? effect.profile : {})))
}

/** More recipients at a time while no limit is met. */
function widenWindow({ host, windowSize: current }: ReplyConnection): Outcome {
  const windowSize = nextWindowSize(current)
  if (windowSize === current) return reuse()
  return reuse([{ kind: 'learn_host', host, profile: { stride: windowSize }, when: 'later' }], { windowSize })
}

function applyReply(state: ProbeState, received: RecipientReply, context: ReplyContext): Outcome {
  const { recipient, reply } = received
  state.replies += 1
  const isControl = state.controls.includes(recipient)
  const isRepeated = recipient === state.postmaster || state.results.get(recipient)?.finding.kind === 'accepted'
  const stage = isControl || isRepeated ? 'control' : 'rcpt'
  const recorded = reuse([recordReply(state, stage, reply)])
  if (isControl) return append(recorded, applyControlReply(state, received, context))
  if (isRepeated) return append(recorded, applyRepeatedReply(state, received, context))
  return append(recorded, applyRecipientReply(state, received, context))
}

function recordReply({ site }: ProbeState, stage: ReplyObservation['stage'], { code, enhanced }: Reply): Effect {
  return { kind: 'record_reply', reply: { provider: site.provider, stage, code, enhanced } }
}

function applyRecipientReply(state: ProbeState, received: RecipientReply, context: ReplyContext): Outcome {
  const { recipient, reply } = received
  const { connection, time } = context
  const host = getHost(state, connection.host)
  host.replied += 1
  if (reply.code >= 400) return applyRejectedRecipient(state, received, context)

  const finding = toFinding(reply)
  noteMailbox(host, recipient, finding)
  const outcome = { finding, host: host.name, transcript: transcriptOf(received, connection) }
  state.results.set(recipient, toResult(state, outcome, time))
  if (finding.kind === 'accepted') {
    recordAcceptance(state, host, recipient)
    proveByAcceptance(state, host, context)
  }
  return reuse()
}

function noteMailbox(host: HostState, { skipsControl }: Recipient, finding: Finding): void {
  if (showsMailbox(finding) && skipsControl !== true) host.needsTest = true
}

function toFinding({ code }: Reply): Finding {
  if (code === 250 || code === 251) return { kind: 'accepted', code }
  // 252: the server will try to deliver but does not confirm the mailbox (RFC 5321 §3.5.3). Other codes are not defined for RCPT.
  return code === 252 ? { kind: 'unverifiable', code } : { kind: 'refused', code, reason: 'server_error' }
}

function transcriptOf({ recipient, reply }: RecipientReply, { greeting }: ReplyConnection) {
  return [greeting, toTranscriptEntry('rcpt', reply, recipient.path)]
}

/** Applies a rejection to the recipient that it is about and, if it is about us, to the connection and the open recipients. */
function applyRejectedRecipient(state: ProbeState, received: RecipientReply, context: ReplyContext): Outcome {
  const { recipient, reply } = received
  const { connection, time } = context
  const host = getHost(state, connection.host)
  const rejection = { host: host.name, stage: 'rcpt', reply, recipient: recipient.path } as const
  const { classification, effects } = classifyRejection(rejection, context, host.proof?.refusal)
  const unbound = findUnbound(received, { ...context, classification })
  const before = append(reuse(effects), unbound.outcome)
  if (unbound.isOpen) return before

  host.rejected += 1
  const { reason } = classification
  const finding: Extract<Finding, { kind: 'refused' }> = { kind: 'refused', code: reply.code, reason }
  noteMailbox(host, recipient, finding)
  const retry = retryFor(classification, reply.code)
  const text = reason === 'unclassified' ? { text: normalizeReply(reply, recipient.path) } : {}
  const own = { finding, host: host.name, transcript: transcriptOf(received, connection), ...retry, ...text }
  recordRejection(state, received, { outcome: own, time })
  if (!isAboutUs(classification)) return before

  // The others were not sent, so they get no reply as evidence.
  setOpenResults(state, { finding: { ...finding, code: 0 }, host: host.name, ...retry }, time)
  return append(before, close(backOff(state, host.name, { ...context, classification })))
}

type Rejected = {
  outcome: RecipientOutcome & { finding: Extract<Finding, { kind: 'refused' }>; host: string }
  time: ProbeTime
}

/** Records the rejection as the recipient's result, unless it decides only together with other replies. */
function recordRejection(state: ProbeState, { recipient }: RecipientReply, { outcome, time }: Rejected): void {
  const host = getHost(state, outcome.host)
  const { reason } = outcome.finding
  if (reason === 'mailbox_not_found') recordHosted(state, host)
  if (reason === 'domain_not_hosted' && !host.isHosted) {
    host.doubtful.set(recipient, toResult(state, outcome, time))
  } else if (reason === 'domain_not_hosted') {
    const finding = { ...outcome.finding, reason: 'policy_rejected' as const }
    state.results.set(recipient, toResult(state, { ...outcome, finding }, time))
  } else if (INVALIDATING.has(reason) && !isTrusted(state, host)) {
    host.doubtful.set(recipient, toResult(state, outcome, time))
    recordTwiceRejected(state, recipient)
  } else {
    state.results.set(recipient, toResult(state, outcome, time))
  }
}

type HostContext = OutcomeContext & { known: HostProfile }

/** The server rejected the session before any recipient. Such a reply is never about a mailbox. */
function applyRejection(state: ProbeState, rejection: Rejection, context: HostContext): Outcome {
  const { host, stage, reply } = rejection
  const { classification, effects } = classifyRejection(rejection, context)
  const before = close([recordReply(state, stage, reply), ...effects])
  if (classification.reason === 'tls_required' && !context.known.tlsDemanded) {
    return append(before, close([{ kind: 'learn_host', host, profile: { tlsDemanded: true }, when: 'now' }]))
  }
  state.failure = sessionFailure(rejection, classification)
  if (!isAboutUs(classification)) return before
  setOpenResults(state, state.failure, context.time)
  return append(before, close(backOff(state, host, { ...context, classification })))
}

function sessionFailure({ host, stage, reply }: Rejection, classification: Classification): RecipientOutcome {
  return {
    finding: { kind: 'refused', code: 0, reason: classification.reason },
    host,
    transcript: [toTranscriptEntry(stage, reply)],
    ...retryFor(classification, reply.code),
  }
}

type Lost = Pick<Exchange, 'replies'> & { disconnect: Disconnect }

/** The connection ended with recipients open. A server that closes or slows down after a rejection has reached its error limit. */
function applyDisconnect(state: ProbeState, { replies, disconnect }: Lost, connection: ReplyConnection): Outcome {
  const { host, greeting, rejected } = connection
  const { why } = disconnect
  state.failure ??= {
    finding: { kind: 'unanswered', why: DISCONNECTS[why] },
    host,
    transcript: [greeting],
    // A server that has replied to other recipients will reply to these, too.
    ...(state.replies > 0 && { retry: { afterMs: null } }),
  }
  const isRejected = (replies.at(-1)?.reply.code ?? 0) >= 400
  if (why === 'closed' && isRejected) return close([learnLimit(host, { errorsMax: rejected })])
  if (why !== 'tarpit') return close()
  return close([learnLimit(host, { errorsMax: Math.max(1, rejected - (isRejected ? 1 : 0)) })])
}

/** The rate limiter does not allow a connection before the deadline. */
export function applyThrottle(
  state: ProbeState,
  { retryAfterMs }: Pick<Throttle, 'retryAfterMs'>,
  time: ProbeTime,
): void {
  setOpenResults(state, { finding: { kind: 'unanswered', why: 'throttled' }, retry: { afterMs: retryAfterMs } }, time)
}

/** No host could be connected to. The first such failure is the result, unless a server rejected the session. */
export function applyConnectFailure(state: ProbeState, failure: ConnectFailure, context: HostContext): Outcome {
  if (failure.kind === 'rejected') return applyRejection(state, failure, context)
  // A host of the domain has replied lately, so this is an outage or a ban, which may end.
  const isServed = [...state.hosts.values()].some(({ proof }) => proof !== undefined)
  state.failure ??= { ...connectionFailure(failure), ...(isServed && { retry: { afterMs: null } }) }
  return close()
}

/**
 * A host could not be connected to, but another one could. Its failure is the result of recipients for which the other one's replies
 * decide nothing, and a retry may find it available.
 */
export function applyFailover(state: ProbeState, failure: ConnectFailure, context: OutcomeContext): void {
  state.excludedHosts.add(failure.host)
  const { retry = { afterMs: null }, ...outcome } =
    failure.kind === 'rejected'
      ? sessionFailure(failure, classifyRejection(failure, context).classification)
      : connectionFailure(failure)
  state.failure ??= { ...outcome, retry }
}

function connectionFailure(failure: Exclude<ConnectFailure, { kind: 'rejected' }>): RecipientOutcome {
  const why = failure.kind === 'disconnected' ? DISCONNECTS[failure.disconnect.why] : DIAL_FAILURES[failure.failure]
  return { finding: { kind: 'unanswered', why }, host: failure.host }
}

const DIAL_FAILURES: Record<Extract<ConnectFailure, { kind: 'not_connected' }>['failure'], FailureReason> = {
  dns_failed: 'dns_failed',
  no_address: 'connection_failed',
  not_routable: 'not_routable',
  refused: 'connection_failed',
  timeout: 'timeout',
  unreachable: 'connection_failed',
  proxy_failed: 'connection_failed',
}

const DISCONNECTS: Record<Disconnect['why'], FailureReason> = {
  timeout: 'timeout',
  closed: 'connection_closed',
  garbled: 'protocol_error',
  tarpit: 'timeout',
  tls_failed: 'protocol_error',
}
