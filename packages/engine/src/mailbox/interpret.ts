import type { MailboxAnswer } from './answer.ts'
import { normaliseReply } from './normalise-reply.ts'
import type { MailNetwork } from './question.ts'
import { readReply } from './read-reply.ts'
import type { Reading, Reason, Reply, Stage } from './reply.ts'
import type { Survey } from './survey.ts'

/** Reads a refusal. Words that no rule knows are put on record; but if the domain refuses strangers in them, they are known. */
export function interpret(
  { survey, network }: { survey: Survey; network: MailNetwork },
  stage: Stage,
  reply: Reply,
  recipient?: string,
): Reading {
  const { provider } = survey.site
  const { egress, noteUnrecognised } = network
  const identity = {
    addresses: egress.localAddress === undefined ? [] : [egress.localAddress],
    heloName: egress.heloName,
    senderDomain: egress.mailFrom.slice(egress.mailFrom.lastIndexOf('@') + 1),
  }
  const reading = readReply(reply, { stage, provider, identity, ...(recipient !== undefined && { recipient }) })
  if (reading.reason !== 'unrecognised') return reading
  const text = normaliseReply(reply, recipient)
  if (stage === 'rcpt' && reply.code >= 500 && text === survey.refusal) {
    return { reason: 'no_such_user', scope: 'mailbox', retryAfterMs: null }
  }
  noteUnrecognised?.({ provider, stage, code: reply.code, text })
  return reading
}

/**
 * Whether another try may bring more than this one did. A passing refusal in words that say nothing is, more often than not,
 * somebody who puts newcomers off without saying so.
 */
export function againFor({ reason, retryAfterMs }: Reading, code: number): { again?: MailboxAnswer['again'] } {
  const isVague = reason === 'server_error' || reason === 'unrecognised'
  const isWorthIt = WORTH_ANOTHER_TRY.has(reason) || (isVague && code >= 400 && code < 500)
  return isWorthIt ? { again: { afterMs: retryAfterMs } } : {}
}

const WORTH_ANOTHER_TRY = new Set<Reason>([
  'greylisted',
  'verifying',
  'rate_limited',
  'too_many_recipients',
  'too_many_errors',
])
