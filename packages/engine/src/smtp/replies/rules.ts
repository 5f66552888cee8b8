import type { Stage } from '../protocol/reply-reader.ts'

/** What a refusal means. */
export type Reason =
  | 'mailbox_not_found'
  | 'mailbox_disabled'
  | 'mailbox_full'
  | 'mailbox_moved'
  /** The mailbox exists and gets too much mail at the moment. */
  | 'mailbox_busy'
  /** The mailbox may exist, but refuses us. */
  | 'policy_rejected'
  | 'domain_not_hosted'
  | 'greylisted'
  /** The server is still finding out whether the mailbox exists; it will know in seconds. */
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

/** What a refusal is about: the mailbox asked for, all of its domain, our address, or this connection alone. */
export type Scope = 'mailbox' | 'domain' | 'egress' | 'connection'

export type Classification = {
  reason: Reason
  scope: Scope
  /** How long the server, or what we know of it, says to wait. */
  retryAfterMs: number | null
}

/** Reasons that speak of the mailbox or its domain. Before RCPT no server can mean one of them. */
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
  /** Provider ids; everybody where left out. */
  provider?: string[]
  /** How the code begins. */
  code?: string
  /** The enhanced code; an `x` in front stands for 4 and 5, a `*` at the end for whatever follows. */
  enhanced?: string
  /** Looked for in the text in lower case, where every e-mail address is a `~`. Gaps are bounded, nothing is nested. */
  says?: RegExp
  /** How long it is known to last where the server does not say so. */
  retryAfterS?: number
  /** A reply that shows it. The test feeds it back: no row goes unproven, and none stands in the shadow of another. */
  seen: string
}

/** What a reply means if it came at this stage and looks like this. `early` is every stage before RCPT. */
export type ReplyRule = Match &
  (
    | { stage: 'rcpt'; reason: Reason; scope: Scope }
    | { stage: 'any' | 'early'; reason: Exclude<Reason, AboutMailbox>; scope: Exclude<Scope, 'mailbox' | 'domain'> }
  )

export function isForStage(rule: ReplyRule, stage: Stage): boolean {
  if (rule.stage === 'any') return true
  return (rule.stage === 'rcpt') === (stage === 'rcpt')
}
