import type { Classification } from '../replies/rules.ts'
import type { RecipientReply } from './conversation.ts'
import {
  close,
  learnLimit,
  NO_CHANGES,
  type Outcome,
  type ReplyConnection,
  type ReplyContext,
  reuse,
} from './outcome-parts.ts'

/** Whether a rejection is about this transaction or connection alone, so that the recipient stays open and is sent again. */
export type Unbound = { isOpen: boolean; outcome: Outcome }

export type ClassifiedContext = ReplyContext & { classification: Classification }

export function findUnbound({ reply, position }: RecipientReply, context: ClassifiedContext): Unbound {
  const { connection, classification } = context
  const { reason, scope } = classification
  const { host } = connection
  if (reason === 'too_many_recipients' && position > 0) return splitTransaction(connection, position)
  if (reason === 'too_many_errors' && scope === 'connection') {
    return { isOpen: true, outcome: close([learnLimit(host, { errorsMax: Math.max(1, connection.rejected - 1) })]) }
  }
  if (reason === 'tls_required' && !connection.secure && connection.capabilities.starttls) {
    return { isOpen: true, outcome: close([learnLimit(host, { tlsDemanded: true })]) }
  }
  // RFC 5321 §3.8: with 421 the server closes; which recipient it replied to is chance.
  const isOpen = reply.code === 421 && scope === 'connection' && reason !== 'rate_limited'
  const changes = reason === 'too_many_recipients' ? { transaction: null } : NO_CHANGES
  return { isOpen, outcome: isOpen ? close([], changes) : reuse([], changes) }
}

/** The recipients that did not fit are sent in another transaction. */
function splitTransaction({ host, recipientsMax: current }: ReplyConnection, position: number): Unbound {
  const recipientsMax = Math.min(current, position)
  const effect = { kind: 'learn_host', host, profile: { recipientsMax }, when: 'later' } as const
  return { isOpen: true, outcome: reuse([effect], { transaction: null, recipientsMax }) }
}
