import type { Stage } from '../protocol/reply-reader.ts'

/** The meaning of a rejection. */
export type Reason =
  | 'mailbox_not_found'
  | 'mailbox_disabled'
  | 'mailbox_full'
  | 'mailbox_moved'
  /** The mailbox exists, but gets too much mail at the moment. */
  | 'mailbox_busy'
  /** The mailbox may exist, but its policy rejects us. */
  | 'policy_rejected'
  | 'domain_not_hosted'
  | 'greylisted'
  /** The server is verifying whether the mailbox exists; the result takes seconds. */
  | 'verification_pending'
  | 'rate_limited'
  | 'too_many_recipients'
  | 'too_many_errors'
  | 'ip_blocked'
  | 'ptr_required'
  | 'sender_rejected'
  | 'spf_required'
  | 'tls_required'
  | 'geo_blocked'
  | 'smtputf8_unsupported'
  | 'server_error'
  | 'unclassified'

/** Reasons that make an address invalid. */
export const INVALIDATING: ReadonlySet<Reason> = new Set<Reason>([
  'mailbox_not_found',
  'mailbox_disabled',
  'mailbox_moved',
  'domain_not_hosted',
])

/**
 * The subject of a rejection: the mailbox, its whole domain, our egress at all customers of the provider, our egress at this domain
 * alone (`tenant`, the rule of one customer on hosts that many customers share), or this connection alone.
 */
export type Scope = 'mailbox' | 'domain' | 'egress' | 'tenant' | 'connection'

export type Classification = {
  reason: Reason
  scope: Scope
  /** The delay that the server names, or the known one of the rule. */
  retryAfterMs: number | null
}

/** Reasons about the mailbox or its domain. A reply before RCPT cannot have them. */
type AboutMailbox =
  | 'mailbox_not_found'
  | 'mailbox_disabled'
  | 'mailbox_full'
  | 'mailbox_moved'
  | 'mailbox_busy'
  | 'policy_rejected'
  | 'domain_not_hosted'
  | 'verification_pending'

type Match = {
  /** Provider ids; all providers if missing. */
  provider?: string[]
  /** Prefix of the reply code. */
  code?: string
  /** The enhanced code; an `x` in front matches 4 and 5, a `*` at the end matches any rest. */
  enhanced?: string
  /** Matched with the text in lower case, in which every email address is a `~`. Gaps are bounded, repetitions are not nested. */
  says?: RegExp
  /** The known duration if the server names none. */
  retryAfterS?: number
  /** A reply that matches the rule. The test checks that it does, and that no earlier rule matches it. */
  seen: string
}

/**
 * The meaning of a reply at a stage with a matching text or code. `early` is every stage before RCPT. The scope `tenant` means `egress`
 * before RCPT, because the server does not know the customer yet; without a provider, also on hosts with a single customer and in a reply
 * that names us or an IP address.
 */
export type ReplyRule = Match &
  (
    | { stage: 'rcpt'; reason: Reason; scope: Scope }
    | { stage: 'any' | 'early'; reason: Exclude<Reason, AboutMailbox>; scope: Exclude<Scope, 'mailbox' | 'domain'> }
  )

export function isForStage(rule: ReplyRule, stage: Stage): boolean {
  if (rule.stage === 'any') return true
  return (rule.stage === 'rcpt') === (stage === 'rcpt')
}
