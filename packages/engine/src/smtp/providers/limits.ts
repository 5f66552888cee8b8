import type { ProbeValue } from '../../domain/data/providers.ts'
import type { Family } from '../protocol/handshake.ts'
import type { Reason } from '../replies/rules.ts'

/** How a provider wants to be asked, and what it does to those who ask differently. */
export type ProviderLimits = {
  probe: ProbeValue
  recipientsPerTransaction: number
  recipientsPerConnection: number
  connectionsPerEgress: number
  connectionsPerMinute: number
  /** Recipients that one connection may see refused. */
  errorsPerConnection: number
  /** The same for servers whose greeting shows what they are. Only where we do not know who runs them. */
  errorsByFamily?: Partial<Record<Family, number>>
  /** Recipients that all our connections from one egress may see refused in an hour; null where nobody counts. */
  errorsPerHour: number | null
  /** `demanded`: only when the server insists; `offered`: whenever it can; `never`. */
  tls: 'never' | 'demanded' | 'offered'
  /** Seconds to wait before each further try at a recipient that the server put off without saying for how long. */
  retryDelaysS: number[]
  /** What makes us leave it alone from one egress, and for how many seconds. */
  suspendS: Partial<Record<Reason, number>>
  /** Its 250 is known to be true for the domains named here, so no control recipient is needed. */
  truthfulDomains: string[]
}

/** The limits of every provider we know, by its id, and of everybody else under `''`. */
export type ProviderLimitsTable = Record<string, ProviderLimits> & { '': ProviderLimits }

export function limitsFor(provider: string, table: ProviderLimitsTable): ProviderLimits {
  return Object.hasOwn(table, provider) ? (table[provider] ?? table['']) : table['']
}

/** How many recipients a connection may see refused, by a server that shows itself to be of this kind. */
export function errorLimitFor(limits: ProviderLimits, family: Family): number {
  return limits.errorsByFamily?.[family] ?? limits.errorsPerConnection
}

/** Longer than any greylist in use; a server that names more does not want to be asked. */
const WAIT_MAX_MS = 24 * 3_600_000

/**
 * How long to wait after so many tries at a recipient, the one just put off included; null when it is time to give up. What
 * the server says goes before what we know of it. Both use up the ladder, so that nobody can be made to ask for ever.
 */
export function nextRetryMs(limits: ProviderLimits, attempts: number, retryAfterMs: number | null): number | null {
  const rungS = limits.retryDelaysS[attempts - 1]
  if (rungS === undefined) return null
  return retryAfterMs === null ? rungS * 1_000 : justAfter(retryAfterMs)
}

/** A greylist counts in whole seconds by its own clock: who comes on the dot may be early, and starts it anew with some. */
function justAfter(delayMs: number): number {
  const marginMs = Math.max(2_000, delayMs / 20)
  return Math.min(WAIT_MAX_MS, Math.ceil((delayMs + marginMs) / 1_000) * 1_000)
}
