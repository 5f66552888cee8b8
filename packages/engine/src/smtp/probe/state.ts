import type { Site } from '../connections/connection.ts'
import type { HostProfile, HostProof } from '../connections/probe-cache.ts'
import type { ProviderLimits } from '../providers/limits.ts'
import type { TranscriptEntry } from '../replies/reply-text.ts'
import type { Reason } from '../replies/rules.ts'
import type { Recipient, ReplyObservation, UnclassifiedReply } from './request.ts'
import type { Finding, ProbeResult } from './result.ts'

/** When an outcome is recorded: Unix time in seconds, time since the probe began, and whether its deadline has passed. */
export type ProbeTime = { unixS: number; elapsedMs: number; isLate: boolean }

/** The result of one recipient, or of all that are open. */
export type RecipientOutcome = {
  finding: Finding
  host?: string | null
  transcript?: TranscriptEntry[]
  retry?: ProbeResult['retry']
  /** The normalized reply, where no rule classifies it. */
  text?: string
}

/** A result with its place in the order of all replies of the probe. */
export type RecipientResult = Pick<ProbeResult, 'finding' | 'host' | 'transcript' | 'retry' | 'at' | 'ms'> & {
  order: number
  text?: string
}

/** Side effects of an outcome, besides the changes to the state. */
export type Effect =
  | { kind: 'record_reply'; reply: ReplyObservation }
  | { kind: 'record_unclassified'; reply: UnclassifiedReply }
  /** `now`: before the next connection, which depends on it. */
  | { kind: 'learn_host'; host: string; profile: HostProfile; when: 'now' | 'later' }
  | { kind: 'slow_down'; target: SuspensionTarget }
  | { kind: 'suspend'; target: SuspensionTarget; reason: Reason; forMs: number }
  /** A rule of this domain blocks us. `escalated`: the effects if several domains of the provider do so. */
  | { kind: 'block_domain'; site: string; reason: Reason; forMs: number; escalated: Effect[] }

export type SuspensionTarget = { egress: string; site: string; limits: ProviderLimits }

/**
 * What a probe knows about one mail host. A reply is evidence about the recipient and the host that gave it: whether the host knows its
 * recipients is proven for each host by itself.
 */
export type HostState = {
  readonly name: string
  readonly preference: number
  proof: (HostProof & { source: 'live' | 'cache' }) | undefined
  /** The proof differs from the cached one. */
  isProofNew: boolean
  test: ControlTest
  /** It showed a mailbox whose result requires the test. */
  needsTest: boolean
  /** It has shown that it serves the domain: by an acceptance, or by rejecting an unknown mailbox. */
  isHosted: boolean
  /** Replies that decide only together with others: of a host that may not serve the domain, or may reject every recipient. */
  readonly doubtful: Map<Recipient, RecipientResult>
  /** The recipient that it accepted last in this probe, and when in the order of replies. */
  accepted: Recipient | undefined
  acceptedOrder: number
  /** Replies to recipients of the request, and how many were rejections. */
  replied: number
  rejected: number
  /** How often a recipient was sent again to see whether the host still tells recipients apart. */
  confirmations: number
}

/** The test whether a host accepts an address that does not exist. */
export type ControlTest = {
  /** What is sent next: the first or second control recipient, or an accepted recipient once more. `over`: nothing. */
  step: 'control' | 'second' | 'repeat' | 'over'
  /** Before any other recipient. */
  isFirst: boolean
  /** The replies: evidence of the catch-all test. */
  entries: TranscriptEntry[]
  /** The normalized rejection of the first control recipient, while it proves nothing. */
  refusal?: string
  /** Why the test has no result. */
  deferral?: { reason: Reason; afterMs: number | null }
}

/** The knowledge of a probe so far. The functions that apply outcomes change it. */
export type ProbeState = {
  readonly site: Site
  readonly recipients: readonly Recipient[]
  /** Two addresses that do not exist. */
  readonly controls: readonly [Recipient, Recipient]
  /** An address that every domain must accept (RFC 5321 §4.5.1). */
  readonly postmaster: Recipient
  /** Acceptances of the domain are known to be reliable. */
  readonly isTruthful: boolean
  /** By name, in the order of preference. */
  readonly hosts: ReadonlyMap<string, HostState>
  readonly results: Map<Recipient, RecipientResult>
  /** Hosts that are not connected to again. */
  readonly excludedHosts: Set<string>
  /** Replies to RCPT so far. */
  replies: number
  /** Connections in a row without a single reply to a recipient. */
  silentConnections: number
  /** The result of recipients that stay open: the failure that ended the probe, or the one of a preferred host. */
  failure: RecipientOutcome | undefined
}

export function getHost({ hosts }: ProbeState, name: string): HostState {
  const host = hosts.get(name)
  if (host === undefined) throw new Error('a reply of a host that does not belong to the probe')
  return host
}

/** Recipients without a result, in the order of the request. */
export function listOpen({ recipients, results }: ProbeState): Recipient[] {
  return recipients.filter((recipient) => !results.has(recipient))
}

export function setResults(
  state: ProbeState,
  recipients: readonly Recipient[],
  outcome: RecipientOutcome,
  time: ProbeTime,
): void {
  const result = toResult(state, outcome, time)
  for (const recipient of recipients) state.results.set(recipient, result)
}

/** Gives all open recipients a result. They were not sent, so it never contains the reply to a recipient. */
export function setOpenResults(state: ProbeState, outcome: RecipientOutcome, time: ProbeTime): void {
  setResults(state, listOpen(state), outcome, time)
}

export function toResult({ replies }: ProbeState, outcome: RecipientOutcome, time: ProbeTime): RecipientResult {
  const { finding, host = null, transcript = [], retry, text } = outcome
  const result: RecipientResult = { finding, host, transcript, at: time.unixS, ms: time.elapsedMs, order: replies }
  if (retry) result.retry = retry
  if (text !== undefined) result.text = text
  return result
}

/** A host without a reply is not connected to again, if there is another. */
export function recordNoResponse(state: ProbeState, host: string): void {
  state.silentConnections += 1
  const hasOthers = state.site.hosts.some(({ name }) => name !== host && !state.excludedHosts.has(name))
  if (hasOthers) state.excludedHosts.add(host)
}
