import type { ConnectionChanges, SmtpConnection } from '../connections/connection.ts'
import type { ConnectFailure } from '../connections/open-connection.ts'
import type { HostProfile } from '../connections/probe-cache.ts'
import type { Throttle } from '../connections/rate-limiter.ts'
import { FIRST_WINDOW_SIZE, nextWindowSize } from '../connections/recipient-window.ts'
import type { Reply } from '../protocol/reply-reader.ts'
import type { Disconnect } from '../protocol/socket.ts'
import { normalizeReply, toTranscriptEntry } from '../replies/reply-text.ts'
import type { Classification, Reason } from '../replies/rules.ts'
import type { Exchange, RecipientReply } from './conversation.ts'
import { backOff, classifyRejection, type OutcomeContext, type Rejection, retryFor } from './rejection.ts'
import type { ReplyObservation } from './request.ts'
import type { FailureReason, Finding } from './result.ts'
import {
  addResult,
  type Effect,
  type ExchangeState,
  openExchange,
  type ProbeState,
  type ProbeTime,
  type RecipientOutcome,
  setOpenResults,
  toResult,
} from './state.ts'

export type Outcome = {
  state: ExchangeState
  effects: Effect[]
  /** Whether further recipients can be sent on the connection. */
  connection: 'reusable' | 'closed'
  changes: ConnectionChanges
}

type Connection = Pick<
  SmtpConnection,
  'host' | 'greeting' | 'secure' | 'capabilities' | 'rejected' | 'recipientsMax' | 'windowSize'
>

type ExchangeContext = OutcomeContext & {
  connection: Connection
  /** The cached profile of the host. Read only if MAIL was rejected. */
  known: HostProfile
}

/** Applies an exchange: the replies in their order, then a rejected MAIL, then a lost connection. */
export function applyExchange(state: ProbeState, exchange: Exchange, context: ExchangeContext): Outcome {
  const { connection, known } = context
  const { mailRejection, disconnect } = exchange
  const start = openExchange(state)
  let outcome = mailRejection === null && disconnect === null ? reuse(start) : close(start)
  let current: ReplyContext = context
  for (const received of exchange.replies) {
    const next = applyReply(outcome.state, received, current)
    if (hasChanges(next)) current = { ...current, connection: { ...current.connection, ...next.changes } }
    outcome = append(outcome, next)
  }
  if (mailRejection) {
    const rejection = { host: connection.host, stage: 'mail', reply: mailRejection } as const
    const learned = { ...context, known: { ...known, ...learnedFrom(outcome.effects) } }
    outcome = append(outcome, applyRejection(outcome.state, rejection, learned))
  }
  if (disconnect) outcome = append(outcome, applyDisconnect(outcome.state, { ...exchange, disconnect }, connection))
  return outcome.connection === 'reusable' ? append(outcome, widenWindow(outcome.state, connection)) : outcome
}

function reuse(state: ExchangeState, effects: Effect[] = [], changes: ConnectionChanges = NO_CHANGES): Outcome {
  return { state, effects, connection: 'reusable', changes }
}

function close(state: ExchangeState, effects: Effect[] = [], changes: ConnectionChanges = NO_CHANGES): Outcome {
  return { state, effects, connection: 'closed', changes }
}

/** Adds to the effects of the first outcome, which is not used again: an exchange has one effect or more per reply. */
function append(outcome: Outcome, next: Outcome): Outcome {
  outcome.effects.push(...next.effects)
  return {
    state: next.state,
    effects: outcome.effects,
    connection: next.connection === 'closed' ? 'closed' : outcome.connection,
    changes: hasChanges(next) ? { ...outcome.changes, ...next.changes } : outcome.changes,
  }
}

function hasChanges({ changes }: Outcome): boolean {
  return changes !== NO_CHANGES
}

const NO_CHANGES: ConnectionChanges = {}

function learnedFrom(effects: Effect[]): HostProfile {
  return Object.assign({}, ...effects.map((effect) => (effect.kind === 'learn_host' ? effect.profile : {})))
}

/** More recipients at a time while no limit is met. */
function widenWindow(state: ExchangeState, { host, windowSize: current }: Connection): Outcome {
  const windowSize = nextWindowSize(current)
  if (windowSize === current) return reuse(state)
  return reuse(state, [{ kind: 'learn_host', host, profile: { stride: windowSize }, when: 'later' }], { windowSize })
}

type ReplyContext = OutcomeContext & { connection: Connection }

function applyReply(state: ExchangeState, received: RecipientReply, context: ReplyContext): Outcome {
  const isControl = received.recipient === state.controlRecipient
  const recorded = reuse(state, [recordReply(state, isControl ? 'control' : 'rcpt', received.reply)])
  const apply = isControl ? applyControlReply : applyRecipientReply
  return append(recorded, apply(state, received, context))
}

function recordReply({ site }: ProbeState, stage: ReplyObservation['stage'], { code, enhanced }: Reply): Effect {
  return { kind: 'record_reply', reply: { provider: site.provider, stage, code, enhanced } }
}

function applyRecipientReply(state: ExchangeState, received: RecipientReply, context: ReplyContext): Outcome {
  const { recipient, reply } = received
  const { connection, time } = context
  if (reply.code < 400) {
    const transcript = transcriptOf(received, connection)
    addResult(state, recipient, toResult({ finding: toFinding(reply), host: connection.host, transcript }, time))
    return reuse(state)
  }
  const { classification, effects } = classifyRejection(state, toRejection(received, connection), context)
  return append(reuse(state, effects), applyRejectedRecipient(state, received, { ...context, classification }))
}

function toFinding({ code }: Reply): Finding {
  if (code === 250 || code === 251) return { kind: 'accepted', code }
  // 252: the server will try to deliver but does not confirm the mailbox (RFC 5321 §3.5.3). Other codes are not defined for RCPT.
  return code === 252 ? { kind: 'unverifiable', code } : { kind: 'refused', code, reason: 'server_error' }
}

function transcriptOf({ recipient, reply }: RecipientReply, { greeting }: Connection) {
  return [greeting, toTranscriptEntry('rcpt', reply, recipient.path)]
}

function toRejection({ recipient, reply }: RecipientReply, { host }: Connection): Rejection {
  return { host, stage: 'rcpt', reply, recipient: recipient.path }
}

type ClassifiedContext = ReplyContext & { classification: Classification }

/** Applies a rejection to the recipient, the connection and the other recipients. */
function applyRejectedRecipient(state: ExchangeState, received: RecipientReply, context: ClassifiedContext): Outcome {
  const { recipient, reply } = received
  const { connection, classification, time } = context
  const { reason, scope } = classification
  const unbound = findUnbound(state, received, context)
  if (unbound.isOpen) return unbound.outcome

  const before = unbound.outcome
  const finding: Finding = { kind: 'refused', code: reply.code, reason: confirmedReason(before.state, reason) }
  const shared = { finding, host: connection.host, ...retryFor(classification, reply.code) }
  const own = { ...shared, transcript: transcriptOf(received, connection) }
  addResult(before.state, recipient, toResult(own, time))
  const next = ruleOutCatchAll(before.state, reason)
  const isAboutUs = scope === 'egress' || reason === 'rate_limited'
  const effects = isAboutUs ? backOff(next, connection.host, context) : []
  if (!isAboutUs && reason !== 'domain_not_hosted') return append(before, reuse(next, effects))
  // All other recipients would get the same reply.
  const transcript = [toTranscriptEntry('rcpt', reply, recipient.path)]
  const others = { ...shared, finding: { ...finding, code: 0 }, transcript }
  return append(before, close(setOpenResults(next, others, time), effects))
}

/** A rejected recipient proves that the domain is not a catch-all. */
function ruleOutCatchAll(state: ExchangeState, reason: Reason): ExchangeState {
  const isRuledOut = reason === 'mailbox_not_found' && state.acceptAll.value === 'untested'
  return isRuledOut ? { ...state, acceptAll: { value: 'no', source: 'live' } } : state
}

/** A domain is not hosted only if all of its hosts reply so; a host that did not respond might host it. */
function confirmedReason({ site, notHostedBy }: ProbeState, reason: Reason): Reason {
  const isDoubtful = reason === 'domain_not_hosted' && !site.hosts.every(({ name }) => notHostedBy.has(name))
  return isDoubtful ? 'server_error' : reason
}

/** Whether a rejection is about this transaction, connection or host alone, so that the recipient stays open and is sent again. */
type Unbound = { isOpen: boolean; outcome: Outcome }

function findUnbound(state: ExchangeState, { reply, position }: RecipientReply, context: ClassifiedContext): Unbound {
  const { connection, classification } = context
  const { reason, scope } = classification
  const { host } = connection
  if (reason === 'too_many_recipients' && position > 0) return splitTransaction(state, connection, position)
  if (reason === 'too_many_errors' && scope === 'connection') {
    const effects = [learnLimit(host, { errorsMax: Math.max(1, connection.rejected - 1) })]
    return { isOpen: true, outcome: close(state, effects) }
  }
  if (reason === 'tls_required' && !connection.secure && connection.capabilities.starttls) {
    return { isOpen: true, outcome: close(state, [learnLimit(host, { tlsDemanded: true })]) }
  }
  if (reason === 'domain_not_hosted') {
    const next = excludeNotHosting(state, host)
    const isOpen = next.site.hosts.some(({ name }) => !next.excludedHosts.has(name))
    return { isOpen, outcome: isOpen ? close(next) : reuse(next) }
  }
  // RFC 5321 §3.8: with 421 the server closes; which recipient it replied to is chance.
  const isOpen = reply.code === 421 && scope === 'connection' && reason !== 'rate_limited'
  const changes = reason === 'too_many_recipients' ? { transaction: null } : NO_CHANGES
  return { isOpen, outcome: isOpen ? close(state, [], changes) : reuse(state, [], changes) }
}

/** The recipients that did not fit are sent in another transaction. */
function splitTransaction(
  state: ExchangeState,
  { host, recipientsMax: current }: Connection,
  position: number,
): Unbound {
  const recipientsMax = Math.min(current, position)
  const effects: Effect[] = [{ kind: 'learn_host', host, profile: { recipientsMax }, when: 'later' }]
  return { isOpen: true, outcome: reuse(state, effects, { transaction: null, recipientsMax }) }
}

function excludeNotHosting(state: ExchangeState, host: string): ExchangeState {
  return {
    ...state,
    notHostedBy: new Set([...state.notHostedBy, host]),
    excludedHosts: new Set([...state.excludedHosts, host]),
  }
}

/** The limit of a host. The next connection starts with the smallest window. */
function learnLimit(host: string, limit: HostProfile): Effect {
  return { kind: 'learn_host', host, profile: { ...limit, stride: FIRST_WINDOW_SIZE }, when: 'now' }
}

function applyControlReply(state: ExchangeState, received: RecipientReply, context: ReplyContext): Outcome {
  const { recipient, reply } = received
  const entry = toTranscriptEntry('control', reply, recipient.path)
  if (reply.code < 300) {
    const control = { kind: 'probed', entry } as const
    return reuse({ ...state, control, acceptAll: { value: 'yes', source: 'live' } })
  }
  const { classification, effects } = classifyRejection(state, toRejection(received, context.connection), context)
  const unbound = findUnbound(state, received, { ...context, classification })
  const before = append(reuse(state, effects), unbound.outcome)
  if (unbound.isOpen) return before

  // The server distinguishes the control recipient from those it accepted, unless the reply is about us.
  const { reason, scope, retryAfterMs: afterMs } = classification
  const isPermanent = reply.code >= 500 && (scope === 'mailbox' || reason === 'unclassified')
  const isConclusive = isPermanent || reason === 'mailbox_not_found'
  const next: ExchangeState = isConclusive
    ? {
        ...before.state,
        control: { kind: 'probed', entry },
        acceptAll: { value: 'no', source: 'live' },
        controlRejection: normalizeReply(reply, recipient.path),
      }
    : { ...before.state, control: { kind: 'probed', entry, deferral: { reason, afterMs } } }
  if (scope !== 'egress') return append(before, reuse(next))
  return append(before, close(next, backOff(next, context.connection.host, { ...context, classification })))
}

type HostContext = OutcomeContext & { known: HostProfile }

/** The server rejected the session before any recipient. Such a reply is never about a mailbox. */
function applyRejection(state: ExchangeState, rejection: Rejection, context: HostContext): Outcome {
  const { host, stage, reply } = rejection
  const { classification, effects } = classifyRejection(state, rejection, context)
  const before = close(state, [recordReply(state, stage, reply), ...effects])
  const { reason, scope } = classification
  if (reason === 'tls_required' && !context.known.tlsDemanded) {
    return append(before, close(state, [{ kind: 'learn_host', host, profile: { tlsDemanded: true }, when: 'now' }]))
  }
  const failure: RecipientOutcome = {
    finding: { kind: 'refused', code: 0, reason },
    host,
    transcript: [toTranscriptEntry(stage, reply)],
    ...retryFor(classification, reply.code),
  }
  const next = { ...state, failure }
  if (scope !== 'egress' && reason !== 'rate_limited') return append(before, close(next))
  const suspended = backOff(next, host, { ...context, classification })
  return append(before, close(setOpenResults(next, failure, context.time), suspended))
}

type Lost = Pick<Exchange, 'replies'> & { disconnect: Disconnect }

/** The connection ended with recipients open. A server that closes or slows down after a rejection has reached its error limit. */
function applyDisconnect(state: ExchangeState, { replies, disconnect }: Lost, connection: Connection): Outcome {
  const { host, greeting, rejected } = connection
  const { why } = disconnect
  const failure: RecipientOutcome = {
    finding: { kind: 'unanswered', why: DISCONNECTS[why] },
    host,
    transcript: [greeting],
    // A server that has replied to other recipients will reply to these, too.
    ...(state.results.size > 0 && { retry: { afterMs: null } }),
  }
  const next = { ...state, failure: state.failure ?? failure }
  const isRejected = (replies.at(-1)?.reply.code ?? 0) >= 400
  if (why === 'closed' && isRejected) return close(next, [learnLimit(host, { errorsMax: rejected })])
  if (why !== 'tarpit') return close(next)
  return close(next, [learnLimit(host, { errorsMax: Math.max(1, rejected - (isRejected ? 1 : 0)) })])
}

/** The rate limiter does not allow a connection before the deadline. */
export function applyThrottle(state: ProbeState, { retryAfterMs }: Throttle, time: ProbeTime): ProbeState {
  return setOpenResults(
    state,
    { finding: { kind: 'unanswered', why: 'throttled' }, retry: { afterMs: retryAfterMs } },
    time,
  )
}

/** A host could not be connected to. The first such failure is the result, unless a server rejected the session. */
export function applyConnectFailure(before: ProbeState, failure: ConnectFailure, context: HostContext): Outcome {
  const state = openExchange(before)
  if (failure.kind === 'rejected') return applyRejection(state, failure, context)
  const why = failure.kind === 'disconnected' ? DISCONNECTS[failure.disconnect.why] : DIAL_FAILURES[failure.failure]
  return close({ ...state, failure: state.failure ?? { finding: { kind: 'unanswered', why }, host: failure.host } })
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
