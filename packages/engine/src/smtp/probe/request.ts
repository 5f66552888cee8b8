import type { MailHost } from '../../domain/mail-hosts.ts'
import type { DestinationNetwork } from '../connections/destination-limits.ts'
import type { ConnectionNetwork } from '../connections/open-connection.ts'
import type { ConnectionPool } from '../connections/pool.ts'
import type { ProviderRateLimiter } from '../connections/rate-limiter.ts'
import type { Stage } from '../protocol/reply-reader.ts'

/** A recipient as in RCPT. `skipsControl`: its validation does not include the catch-all test. */
export type Recipient = { path: string; needsUtf8: boolean; skipsControl?: boolean }

/** Up to a hundred addresses of one domain, and its mail hosts. */
export type ProbeRequest = {
  /** In A-labels. */
  domain: string
  hosts: MailHost[]
  /** The id of the mailbox provider; `''` if unknown. */
  provider: string
  recipients: Recipient[]
  /** On the clock of `performance.now()`. There is a result by then, whatever happens. */
  deadline: number
}

/** A reply without a matching rule, normalized so that it names no person. */
export type UnclassifiedReply = { provider: string; stage: Stage; code: number; text: string }

/** A reply to a recipient, or one that rejected the session before that. */
export type ReplyObservation = { provider: string; stage: Stage | 'control'; code: number; enhanced: string | null }

/** The dependencies of a probe. */
export type ProbeNetwork = ConnectionNetwork &
  DestinationNetwork & {
    rateLimiter: ProviderRateLimiter
    pool: ConnectionPool
    /** Whether mail servers can be reached from this egress. If not, no connection is opened, but cached catch-all results are used. */
    isReachable?(): boolean
    recordUnclassified?(reply: UnclassifiedReply): void
    recordReply?(reply: ReplyObservation): void
  }
