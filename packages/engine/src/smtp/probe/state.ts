import { createHash } from 'node:crypto'
import type { Site } from '../connections/connection.ts'
import type { AcceptAll, DomainProfile, HostProfile } from '../connections/probe-cache.ts'
import { isEncodable } from '../protocol/commands.ts'
import type { ProviderLimits } from '../providers/limits.ts'
import type { TranscriptEntry } from '../replies/reply-text.ts'
import type { Reason } from '../replies/rules.ts'
import type { Recipient, ReplyObservation, UnclassifiedReply } from './request.ts'
import type { Finding, ProbeResult, SkipReason } from './result.ts'

/** When an outcome is recorded: Unix time in seconds, time since the probe began, and whether its deadline has passed. */
export type ProbeTime = { unixS: number; elapsedMs: number; isLate: boolean }

/** The result of one recipient, or of all that are open. */
export type RecipientOutcome = {
  finding: Finding
  host?: string | null
  transcript?: TranscriptEntry[]
  retry?: ProbeResult['retry']
}

type RecipientResult = Pick<ProbeResult, 'finding' | 'host' | 'transcript' | 'retry' | 'at' | 'ms'>

type Control =
  | { kind: 'not_probed' }
  | { kind: 'probed'; entry: TranscriptEntry; deferral?: { reason: Reason; afterMs: number | null } }

/** Side effects of an outcome, besides the new state. */
export type Effect =
  | { kind: 'record_reply'; reply: ReplyObservation }
  | { kind: 'record_unclassified'; reply: UnclassifiedReply }
  /** `now`: before the next connection, which depends on it. */
  | { kind: 'learn_host'; host: string; profile: HostProfile; when: 'now' | 'later' }
  | { kind: 'slow_down'; target: SuspensionTarget }
  | { kind: 'suspend'; target: SuspensionTarget; reason: Reason; forMs: number }

export type SuspensionTarget = { egress: string; site: string; limits: ProviderLimits }

/** The knowledge of a probe so far. Never changed: each step returns the next state. */
export type ProbeState = {
  readonly site: Site
  readonly recipients: readonly Recipient[]
  /** The control recipient. It is needed when every other recipient was accepted. */
  readonly controlRecipient: Recipient
  readonly results: ReadonlyMap<Recipient, RecipientResult>
  readonly acceptAll: { value: ProbeResult['acceptAll']; source: ProbeResult['acceptAllSource'] }
  readonly control: Control
  /** The normalized reply that rejected the control recipient of the domain, now or earlier. */
  readonly controlRejection: string | undefined
  /** Hosts that are not connected to again. */
  readonly excludedHosts: ReadonlySet<string>
  /** Hosts that replied that they do not host the domain. */
  readonly notHostedBy: ReadonlySet<string>
  /** Connections in a row without a single reply to a recipient. */
  readonly silentConnections: number
  /** The result of recipients that stay open: the failure that ended the probe. */
  readonly failure: RecipientOutcome | undefined
}

/** A state whose results belong to one exchange, which adds to them: a copy per reply would cost as much as all results so far. */
export type ExchangeState = ProbeState & { readonly results: Map<Recipient, RecipientResult> }

export function openExchange(state: ProbeState): ExchangeState {
  return { ...state, results: new Map(state.results) }
}

export function addResult(state: ExchangeState, recipient: Recipient, result: RecipientResult): void {
  state.results.set(recipient, result)
}

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
    controlRecipient: { path: controlAddress(domain), needsUtf8: false },
    results: new Map(),
    acceptAll: knownAcceptAll(known.acceptAll, site.limits.truthfulDomains.includes(domain)),
    control: { kind: 'not_probed' },
    controlRejection: known.refusal,
    excludedHosts: new Set(),
    notHostedBy: new Set(),
    silentConnections: 0,
    failure: undefined,
  }
  const unencodable = recipients.filter(({ path }) => !isEncodable(path))
  const started = setResults(state, unencodable, skip('unencodable'), time)
  const reason = findSkipReason(site, known, isReachable)
  return reason === undefined ? started : setOpenResults(started, skip(reason), time)
}

function findSkipReason({ limits }: Site, known: DomainProfile, isReachable: boolean): SkipReason | undefined {
  if (limits.probe === 'D') return 'provider_unverifiable'
  if (known.acceptAll?.value === 'yes') return 'known_catch_all'
  return isReachable ? undefined : 'no_egress'
}

function skip(why: SkipReason): RecipientOutcome {
  return { finding: { kind: 'unasked', why } }
}

function knownAcceptAll(known: AcceptAll | undefined, isTruthful: boolean): ProbeState['acceptAll'] {
  if (isTruthful) return { value: 'no', source: 'provider' }
  return known ? { value: known.value, source: 'cache' } : { value: 'untested', source: 'live' }
}

/** An address that does not exist. Always the same one for a domain, so that a server with greylisting knows it at the next attempt. */
function controlAddress(domain: string): string {
  const digest = createHash('sha256').update(`control recipient of ${domain}`).digest()
  const letters = [...digest.subarray(0, 14)].map((byte) => LETTERS[byte % LETTERS.length]).join('')
  return `${letters}@${domain}`
}

const LETTERS = 'bcdfghjkmnpqrstvwxz'

/** RFC 6531 §3.2: without SMTPUTF8 such an address must not be sent. Another host of the domain does not offer it either. */
export function skipUtf8(state: ProbeState, host: string, time: ProbeTime): ProbeState {
  const recipients = listOpen(state).filter(({ needsUtf8 }) => needsUtf8)
  return setResults(state, recipients, { ...skip('smtputf8_unsupported'), host }, time)
}

/** Recipients without a result, in the order of the request. */
export function listOpen({ recipients, results }: ProbeState): Recipient[] {
  return recipients.filter((recipient) => !results.has(recipient))
}

/** The recipients to send next: those of the request and, when none of them is open, the control recipient where it is needed. */
export function nextRecipients(state: ProbeState, max: number): Recipient[] {
  const open = listOpen(state)
  if (open.length > 0) return open.slice(0, max)
  return needsControl(state) && max > 0 ? [state.controlRecipient] : []
}

/** A rejected recipient would have shown already that the domain is not a catch-all. */
function needsControl({ acceptAll, control, results }: ProbeState): boolean {
  if (acceptAll.value !== 'untested' || control.kind === 'probed') return false
  return [...results].some(([{ skipsControl }, { finding }]) => finding.kind === 'accepted' && skipsControl !== true)
}

function setResults(
  state: ProbeState,
  recipients: readonly Recipient[],
  outcome: RecipientOutcome,
  time: ProbeTime,
): ExchangeState {
  const result = toResult(outcome, time)
  const results = new Map(state.results)
  for (const recipient of recipients) results.set(recipient, result)
  return { ...state, results }
}

export function setOpenResults(state: ProbeState, outcome: RecipientOutcome, time: ProbeTime): ExchangeState {
  return setResults(state, listOpen(state), outcome, time)
}

export function toResult(outcome: RecipientOutcome, time: ProbeTime): RecipientResult {
  const { finding, host = null, transcript = [], retry } = outcome
  return { finding, host, transcript, at: time.unixS, ms: time.elapsedMs, ...(retry && { retry }) }
}

/** A host without a reply is not connected to again, if there is another. */
export function recordNoResponse(state: ProbeState, host: string): ProbeState {
  const { site, excludedHosts } = state
  const hasOthers = site.hosts.some(({ name }) => name !== host && !excludedHosts.has(name))
  return {
    ...state,
    silentConnections: state.silentConnections + 1,
    excludedHosts: hasOthers ? new Set([...excludedHosts, host]) : excludedHosts,
  }
}

/** The results in the order of the request, and what the probe showed about the domain. */
export function finishProbe(
  state: ProbeState,
  time: ProbeTime,
): { results: ProbeResult[]; learned: DomainProfile | null } {
  const timedOut: RecipientOutcome = { finding: { kind: 'unanswered', why: 'timeout' }, retry: { afterMs: null } }
  const finished = setOpenResults(state, state.failure ?? timedOut, time)
  const { value, source } = finished.acceptAll
  const results = finished.recipients.map((recipient) => {
    const result = finished.results.get(recipient)
    if (result === undefined) throw new Error('recipient without a result')
    const control = controlEvidence(finished, recipient, { result, time })
    return { ...result, ...control, acceptAll: value, acceptAllSource: source }
  })
  const isLearned = value !== 'untested' && source === 'live'
  return { results, learned: isLearned ? domainProfile(finished, value, time) : null }
}

function domainProfile(
  { control, controlRejection }: ProbeState,
  value: AcceptAll['value'],
  time: ProbeTime,
): DomainProfile {
  const evidence = control.kind === 'probed' ? 'control' : 'real_reject'
  const acceptAll = { value, evidence, at: time.unixS } as const
  return { acceptAll, ...(controlRejection !== undefined && { refusal: controlRejection }) }
}

type Evidence = { result: RecipientResult; time: ProbeTime }

/** An acceptance counts only with the result of the control recipient; while that is unknown, a retry makes sense. */
function controlEvidence(state: ProbeState, recipient: Recipient, { result, time }: Evidence): Partial<ProbeResult> {
  const { control, acceptAll } = state
  if (result.finding.kind !== 'accepted') return {}
  if (control.kind === 'probed') {
    const transcript = [...result.transcript, control.entry]
    if (acceptAll.value !== 'untested') return { transcript }
    const { reason, afterMs = null } = control.deferral ?? {}
    return { transcript, retry: { afterMs }, ...(reason && { untestedFor: reason }) }
  }
  if (acceptAll.value !== 'untested') return {}
  if (recipient.skipsControl) return { untestedFor: 'not_wanted' }
  return { retry: { afterMs: null }, ...(time.isLate && { untestedFor: 'timeout' }) }
}
