import type { Reason, Stage } from './reply.ts'

/** What was found out about one mailbox. */
export type Finding =
  | { kind: 'accepted'; code: number }
  /** Refused, for a reason that may be about the mailbox or about us. `code` is the reply to the recipient, 0 if it came earlier. */
  | { kind: 'refused'; code: number; reason: Reason }
  /** The server took the recipient and said that this means nothing (RFC 5321 §3.5.3, reply 252). */
  | { kind: 'unverifiable'; code: number }
  /** Somebody was asked and did not answer, or nobody could be asked. */
  | { kind: 'unanswered'; why: Unanswered }
  /** There was no point in asking, or no way to. */
  | { kind: 'unasked'; why: Unasked }

export type Unasked =
  | 'provider_unverifiable'
  | 'known_catch_all'
  | 'smtputf8_unsupported'
  | 'unencodable'
  /** Mail servers cannot be reached from here, whichever it is. */
  | 'no_egress'
  /** The owner of the domain asked not to be probed. */
  | 'opted_out'

export type Unanswered =
  | 'connection_failed'
  | 'not_routable'
  | 'dns_failed'
  | 'timeout'
  | 'connection_closed'
  | 'protocol_error'
  /** Our own rate limits delay the probe. */
  | 'throttled'

/** One thing a server said, its words without anybody's address. */
export type Said = { stage: Stage | 'control'; code: number; enhanced: string | null; text: string }

export type MailboxAnswer = {
  finding: Finding
  /** Whether the domain takes mail for every address. */
  acceptAll: 'yes' | 'no' | 'untested'
  /** Why the test of that came to nothing, where it was a server's words, our time was up or nobody wanted it. */
  untestedFor?: Reason | 'timeout' | 'not_wanted'
  /** How that is known: by asking now, from earlier, or because the provider is known for it. */
  acceptAllSource: 'live' | 'cache' | 'provider'
  /** The mail host that was asked; null when none could be. */
  host: string | null
  dialogue: Said[]
  /** When the answer was there, in Unix time in seconds, and how long asking took. */
  at: number
  ms: number
  /**
   * Worth asking again: after so long where somebody said how long, else after what the provider is known for (null). Undefined
   * where another try would bring nothing.
   */
  again?: { afterMs: number | null }
}
