import type { ProbeValue } from '../../domain/data/providers.ts'
import type { Family } from '../protocol/handshake.ts'
import type { Reason } from '../replies/rules.ts'

/** The limits for probing a provider, and its suspensions and retry schedule. */
export type ProviderLimits = {
  probe: ProbeValue
  recipientsPerTransaction: number
  recipientsPerConnection: number
  connectionsPerEgress: number
  connectionsPerMinute: number
  /** Recipients that may be rejected on one connection. */
  errorsPerConnection: number
  /** The same by server family, as shown by the greeting. Only for unknown providers. */
  errorsByFamily?: Partial<Record<Family, number>>
  /** Recipients that may be rejected per hour on all connections from one egress; null if rejections are not counted. */
  errorsPerHour: number | null
  /** `demanded`: only if the server demands it; `offered`: if the server offers it; `never`. */
  tls: 'never' | 'demanded' | 'offered'
  /** Delays in seconds before each further attempt, for recipients that the server deferred without naming a delay. */
  retryDelaysS: number[]
  /** The reasons that suspend the provider for one egress, and for how many seconds. */
  suspendS: Partial<Record<Reason, number>>
  /** Domains for which an acceptance is known to be reliable, so that no control recipient is needed. */
  truthfulDomains: string[]
}

/** The limits of each known provider by its id, and the default limits under `''`. */
export type ProviderLimitsTable = Record<string, ProviderLimits> & { '': ProviderLimits }

export function limitsFor(provider: string, table: ProviderLimitsTable): ProviderLimits {
  return Object.hasOwn(table, provider) ? (table[provider] ?? table['']) : table['']
}

/** The number of recipients that a server of this family may reject on a connection. */
export function errorLimitFor(limits: ProviderLimits, family: Family): number {
  return limits.errorsByFamily?.[family] ?? limits.errorsPerConnection
}

/** Longer than any greylist in use. */
const WAIT_MAX_MS = 24 * 3_600_000

/**
 * The delay after this number of attempts at a recipient, including the last one; null after the last attempt. A delay that the server
 * names takes precedence over the schedule. Both count as an attempt, so that a server cannot cause endless retries.
 */
export function nextRetryMs(limits: ProviderLimits, attempts: number, retryAfterMs: number | null): number | null {
  const delayS = limits.retryDelaysS[attempts - 1]
  if (delayS === undefined) return null
  return retryAfterMs === null ? delayS * 1_000 : justAfter(retryAfterMs)
}

/**
 * Greylists count in whole seconds by their own clock. An attempt at the exact time may be early, and with some greylists restarts the
 * delay.
 */
function justAfter(delayMs: number): number {
  const marginMs = Math.max(2_000, delayMs / 20)
  return Math.min(WAIT_MAX_MS, Math.ceil((delayMs + marginMs) / 1_000) * 1_000)
}
