import { providerOfHost } from '../domain/provider.ts'
import type { MailboxAnswer } from './answer.ts'
import { type Habits, habitsOf } from './habits.ts'
import { normaliseReply } from './normalise-reply.ts'
import type { MailNetwork } from './question.ts'
import { readReply } from './read-reply.ts'
import type { Reading, Reason, Reply, Stage } from './reply.ts'
import type { Survey } from './survey.ts'

/** The host that replied. Its own name decides which provider's rules and limits its reply is read by. */
type Replied = { survey: Survey; network: MailNetwork; host: string }

/** Reads a refusal. Words that no rule knows are put on record; but if the domain refuses strangers in them, they are known. */
export function interpret({ survey, network, host }: Replied, stage: Stage, reply: Reply, recipient?: string): Reading {
  const provider = providerOfHost(host)
  const { egress, habits, noteUnrecognised } = network
  const identity = {
    addresses: egress.localAddress === undefined ? [] : [egress.localAddress],
    heloName: egress.heloName,
    senderDomain: egress.mailFrom.slice(egress.mailFrom.lastIndexOf('@') + 1),
  }
  const context = { stage, provider, identity, ...(recipient !== undefined && { recipient }) }
  const reading = limitWait(readReply(reply, context), habitsOf(provider, habits))
  if (reading.reason !== 'unclassified') return reading
  const text = normaliseReply(reply, recipient)
  if (stage === 'rcpt' && reply.code >= 500 && text === survey.refusal) {
    return { reason: 'mailbox_not_found', scope: 'mailbox', retryAfterMs: null }
  }
  noteUnrecognised?.({ provider, stage, code: reply.code, text })
  return reading
}

/** Limits the wait that a reply names to the longest one that the provider's limits have for its reason. */
function limitWait(reading: Reading, { suspendS, retryLadderS }: Habits): Reading {
  if (reading.retryAfterMs === null) return reading
  const longestMs = Math.max(suspendS[reading.reason] ?? 0, ...retryLadderS) * 1_000
  return { ...reading, retryAfterMs: Math.min(reading.retryAfterMs, longestMs) }
}

/**
 * Whether another try may bring more than this one did. A passing refusal in words that say nothing is, more often than not,
 * somebody who puts newcomers off without saying so.
 */
export function againFor({ reason, retryAfterMs }: Reading, code: number): { again?: MailboxAnswer['again'] } {
  const isVague = reason === 'server_error' || reason === 'unclassified'
  const isWorthIt = WORTH_ANOTHER_TRY.has(reason) || (isVague && code >= 400 && code < 500)
  return isWorthIt ? { again: { afterMs: retryAfterMs } } : {}
}

const WORTH_ANOTHER_TRY = new Set<Reason>([
  'greylisted',
  'verification_pending',
  'rate_limited',
  'too_many_recipients',
  'too_many_errors',
])
