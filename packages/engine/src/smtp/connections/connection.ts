import type { MailHost } from '../../domain/mail-hosts.ts'
import type { Capabilities } from '../protocol/handshake.ts'
import type { SmtpSocket } from '../protocol/socket.ts'
import type { ProviderLimits } from '../providers/limits.ts'
import type { TranscriptEntry } from '../replies/reply-text.ts'
import type { Lease } from './rate-limiter.ts'

/** A set of MX hosts that share limits, in the order of preference. */
export type Site = {
  /** The provider's id, or a key for the set of hosts where the provider is unknown. */
  key: string
  provider: string
  hosts: MailHost[]
  limits: ProviderLimits
}

/** An open SMTP connection, with the counters that decide how much may still be sent on it. Changed only by the functions below. */
export type SmtpConnection = {
  site: Site
  host: string
  /** The name of the destination's limits, where it has limits besides those of the site. */
  destination: string | null
  socket: SmtpSocket
  lease: Lease
  capabilities: Capabilities
  greeting: TranscriptEntry
  /** When the connection was requested, on the clock of `performance.now()`. */
  openedAt: number
  /** Recipients probed and rejected on it, of all domains. */
  probed: number
  rejected: number
  transactions: number
  /** The open transaction. */
  transaction: Transaction | null
  /** How many recipients may be in flight: first one, then three, then ten. */
  windowSize: number
  /** Rejected recipients that the server tolerates. */
  errorsMax: number
  /** Recipients per transaction that the server accepts. */
  recipientsMax: number
  /** The shortest response time and the longest of a rejection, in milliseconds: a server that gets much slower is a tarpit. */
  quickestMs: number
  slowestRefusalMs: number
  /**
   * A reply that takes longer than `slowMs`, and many times as long as the quickest one, is delayed on purpose. So is a rejection that takes
   * longer than `refusalMsMax`, whatever the earlier ones took.
   */
  slowMs: number
  refusalMsMax: number
  secure: boolean
}

type Transaction = { recipients: number; utf8: boolean; domain: string }

/** Changes by a server's replies that apply to the rest of the connection. */
export type ConnectionChanges = Partial<Pick<SmtpConnection, 'windowSize' | 'recipientsMax' | 'transaction'>>

export function changeConnection(connection: SmtpConnection, changes: ConnectionChanges): void {
  Object.assign(connection, changes)
}

export function beginTransaction(connection: SmtpConnection, of: Omit<Transaction, 'recipients'>): Transaction {
  const transaction = { ...of, recipients: 0 }
  connection.transaction = transaction
  connection.transactions += 1
  return transaction
}

/** Counts a reply to a recipient, which took so many milliseconds. */
export function countReply(connection: SmtpConnection, code: number, ms: number): { isTarpit: boolean } {
  connection.probed += 1
  if (code >= 400) connection.rejected += 1
  return { isTarpit: isTarpit(connection, code, ms) }
}

/** Hosts of unknown providers are one site if they are the same hosts, whatever the domain and its order of preference. */
export function siteKey(provider: string, hosts: MailHost[]): string {
  return provider === ''
    ? hosts
        .map(({ name }) => name)
        .toSorted()
        .join(',')
    : provider
}

const SLOW_TIMES = 10
/** A server that delays every rejection by the same time (Exchange: five seconds) is usable; one that increases the delay is not. */
const GROWTH = 1.5

/**
 * Whether the connection has become a tarpit, by the time that one reply took. A delayed acceptance means that every reply is delayed from
 * now on; rejections alone may be slow.
 */
function isTarpit(connection: SmtpConnection, code: number, ms: number): boolean {
  const { quickestMs, slowestRefusalMs, slowMs, refusalMsMax } = connection
  connection.quickestMs = Math.min(quickestMs, ms)
  if (ms < slowMs || ms < SLOW_TIMES * quickestMs || quickestMs === Number.POSITIVE_INFINITY) return false
  if (code < 400) return true
  connection.slowestRefusalMs = Math.max(slowestRefusalMs, ms)
  return ms > refusalMsMax || (slowestRefusalMs > 0 && ms > GROWTH * slowestRefusalMs)
}
