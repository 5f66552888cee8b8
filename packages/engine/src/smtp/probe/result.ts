import type { TranscriptEntry } from '../replies/reply-text.ts'
import type { Reason } from '../replies/rules.ts'

/** The finding of a probe about one mailbox. */
export type Finding =
  | { kind: 'accepted'; code: number }
  /**
   * Rejected, for a reason that may be about the mailbox or about us. `code` is the reply code of RCPT, 0 if the rejection came earlier.
   */
  | { kind: 'refused'; code: number; reason: Reason }
  /** The server accepted the recipient without confirming it (RFC 5321 §3.5.3, reply 252). */
  | { kind: 'unverifiable'; code: number }
  /** No response, or no connection. */
  | { kind: 'unanswered'; why: FailureReason }
  /** The probe was skipped. */
  | { kind: 'unasked'; why: SkipReason }

/** Only an existing mailbox gets such a reply from a host that knows its recipients. */
export function showsMailbox(finding: Finding): boolean {
  return finding.kind === 'accepted' || (finding.kind === 'refused' && finding.reason === 'mailbox_busy')
}

export type SkipReason =
  | 'provider_unverifiable'
  | 'known_catch_all'
  | 'smtputf8_unsupported'
  | 'unencodable'
  /** This egress cannot reach mail servers. */
  | 'no_egress'
  /** The owner of the domain asked not to be probed. */
  | 'opted_out'
  /** The account exceeded the daily limit of the domain. */
  | 'domain_limit'

export type FailureReason =
  | 'connection_failed'
  | 'not_routable'
  | 'dns_failed'
  | 'timeout'
  | 'connection_closed'
  | 'protocol_error'
  /** Our own rate limits delay the probe. */
  | 'throttled'
  /** Rejected by a host whose rejections count only together with others: a backup, or one of several equal hosts. */
  | 'unconfirmed_rejection'

export type ProbeResult = {
  finding: Finding
  /** Whether the mail host that replied accepts every recipient. */
  acceptAll: 'yes' | 'no' | 'untested'
  /** Why the catch-all test has no result: a reply, the deadline, an option of the validation, or hosts that contradict each other. */
  untestedFor?: Reason | 'timeout' | 'not_wanted' | 'hosts_disagree'
  /** Where `acceptAll` comes from: this probe, an earlier one, or the provider's limits. */
  acceptAllSource: 'live' | 'cache' | 'provider'
  /** The mail host that was probed; null if none was. */
  host: string | null
  transcript: TranscriptEntry[]
  /** When the result was available, in Unix time in seconds, and how long the probe took. */
  at: number
  ms: number
  /**
   * A retry may succeed: after the delay that the server named, or by the provider's retry schedule (null). Undefined if a retry makes no
   * sense.
   */
  retry?: { afterMs: number | null }
}
