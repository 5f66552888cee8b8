/** One answer of a mail server, its lines without the codes in front. */
export type Reply = {
  code: number
  /** The enhanced status code (RFC 3463) of the last line that has one. */
  enhanced: string | null
  lines: string[]
}

/** Where in the conversation a reply came. What is said before RCPT is never about the mailbox. */
export type Stage = 'greeting' | 'ehlo' | 'starttls' | 'mail' | 'rcpt'

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

export type Reading = {
  reason: Reason
  scope: Scope
  /** How long the server, or what we know of it, says to wait. */
  retryAfterMs: number | null
}
