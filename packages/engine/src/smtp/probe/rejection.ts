import { providerOfHost } from '../../domain/mail-hosts.ts'
import { siteKey } from '../connections/connection.ts'
import type { TimeFactor } from '../connections/time-factor.ts'
import type { Egress } from '../protocol/dial.ts'
import type { Reply, Stage } from '../protocol/reply-reader.ts'
import { limitsFor, type ProviderLimits, type ProviderLimitsTable } from '../providers/limits.ts'
import { classifyReply } from '../replies/classify.ts'
import { normalizeReply } from '../replies/reply-text.ts'
import type { Classification, Reason } from '../replies/rules.ts'
import type { ProbeResult } from './result.ts'
import type { Effect, ProbeState, ProbeTime, SuspensionTarget } from './state.ts'

/** Our identity, the limits of providers, and the time. */
export type OutcomeContext = TimeFactor & {
  egress: Pick<Egress, 'name' | 'heloName' | 'mailFrom' | 'localAddress'>
  providerLimits: ProviderLimitsTable
  time: ProbeTime
}

/** A rejection by a host. The host name decides which provider's rules and limits apply to its reply. */
export type Rejection = { host: string; stage: Stage; reply: Reply; recipient?: string }

type Classified = { classification: Classification; effects: Effect[] }

/** Classifies a rejection. An unclassified reply is recorded, unless it is the host's known text for an unknown recipient. */
export function classifyRejection(
  { host, stage, reply, recipient }: Rejection,
  { egress, providerLimits }: OutcomeContext,
  knownRefusal?: string,
): Classified {
  const provider = providerOfHost(host)
  const identity = {
    addresses: egress.localAddress === undefined ? [] : [egress.localAddress],
    heloName: egress.heloName,
    senderDomain: egress.mailFrom.slice(egress.mailFrom.lastIndexOf('@') + 1),
  }
  const context = { stage, provider, identity, ...(recipient !== undefined && { recipient }) }
  const classification = limitWait(classifyReply(reply, context), limitsFor(provider, providerLimits))
  if (classification.reason !== 'unclassified') return { classification, effects: [] }
  const text = normalizeReply(reply, recipient)
  const effect: Effect = { kind: 'record_unclassified', reply: { provider, stage, code: reply.code, text } }
  return { classification, effects: text === knownRefusal ? [] : [effect] }
}

/** A reply about our egress or our rate, whichever recipient received it. */
export function isAboutUs({ reason, scope }: Classification): boolean {
  return scope === 'egress' || scope === 'tenant' || reason === 'rate_limited'
}

/** Limits the wait that a reply names to the longest one that the provider's limits have for its reason. */
function limitWait(classification: Classification, { suspendS, retryDelaysS }: ProviderLimits): Classification {
  const { reason, retryAfterMs } = classification
  if (retryAfterMs === null) return classification
  const longestMs = Math.max(suspendS[reason] ?? 0, ...retryDelaysS) * 1_000
  return { ...classification, retryAfterMs: Math.min(retryAfterMs, longestMs) }
}

/** Whether a retry may succeed. A temporary rejection without a known reason is, more often than not, greylisting. */
export function retryFor({ reason, retryAfterMs }: Classification, code: number): Pick<ProbeResult, 'retry'> {
  const isVague = reason === 'server_error' || reason === 'unclassified'
  const isTemporary = RETRIED_REASONS.has(reason) || (isVague && code >= 400 && code < 500)
  return isTemporary ? { retry: { afterMs: retryAfterMs } } : {}
}

const RETRIED_REASONS = new Set<Reason>([
  'greylisted',
  'verification_pending',
  'rate_limited',
  'too_many_recipients',
  'too_many_errors',
])

/** How long a server that blocked us is suspended where its provider's limits do not say. */
const SUSPEND_DEFAULT_MS = 30 * 60_000

type BackOffContext = OutcomeContext & { classification: Classification }

/**
 * Suspends what a reply is about, from this egress: the domain where its own rule blocks us, the whole provider where the name of the host
 * that replied proves that it is the provider's, else the domain's own set of hosts. The wait that the reply names may shorten the
 * suspension, never lengthen it.
 */
export function backOff(state: ProbeState, host: string, context: BackOffContext): Effect[] {
  const { reason, scope, retryAfterMs } = context.classification
  const target = findTarget(state, host, context)
  const limitS = target.limits.suspendS[reason]
  const limitMs = limitS === undefined ? SUSPEND_DEFAULT_MS / (context.timeFactor ?? 1) : limitS * 1_000
  const forMs = Math.min(retryAfterMs ?? limitMs, limitMs)
  const lastBlock = { at: context.time.unixS, reason }
  const suspension: Effect[] = [
    ...(reason === 'rate_limited' ? [{ kind: 'slow_down', target } as const] : []),
    { kind: 'suspend', target, reason, forMs },
    { kind: 'learn_host', host, profile: { lastBlock }, when: 'now' },
  ]
  if (scope !== 'tenant') return suspension
  return [{ kind: 'block_domain', site: target.site, reason, forMs, escalated: suspension }]
}

function findTarget({ site }: ProbeState, host: string, { egress, providerLimits }: OutcomeContext): SuspensionTarget {
  const provider = providerOfHost(host)
  return provider === ''
    ? { egress: egress.name, site: siteKey('', site.hosts), limits: site.limits }
    : { egress: egress.name, site: provider, limits: limitsFor(provider, providerLimits) }
}
