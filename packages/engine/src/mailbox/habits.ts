import type { ProbeValue } from '../domain/data/providers.ts'
import type { Family } from './offers.ts'
import type { Reason } from './reply.ts'

/** How a provider wants to be asked, and what it does to those who ask differently. */
export type Habits = {
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
  retryLadderS: number[]
  /** What makes us leave it alone from one egress, and for how many seconds. */
  suspendS: Partial<Record<Reason, number>>
  /** Its 250 is known to be true for the domains named here, so no control recipient is needed. */
  truthfulDomains: string[]
}

/** The habits of every provider we know, by its id, and of everybody else under `''`. */
export type HabitTable = Record<string, Habits> & { '': Habits }

export function habitsOf(provider: string, table: HabitTable): Habits {
  return Object.hasOwn(table, provider) ? (table[provider] ?? table['']) : table['']
}

/** How many recipients a connection may see refused, by a server that shows itself to be of this kind. */
export function errorsOnConnection(habits: Habits, family: Family): number {
  return habits.errorsByFamily?.[family] ?? habits.errorsPerConnection
}
