import type { ConnectionChanges, SmtpConnection } from '../connections/connection.ts'
import type { HostProfile } from '../connections/probe-cache.ts'
import { FIRST_WINDOW_SIZE } from '../connections/recipient-window.ts'
import type { OutcomeContext } from './rejection.ts'
import type { Effect } from './state.ts'

/** What follows from replies, besides the changes to the state. */
export type Outcome = {
  effects: Effect[]
  /** Whether further recipients can be sent on the connection. */
  connection: 'reusable' | 'closed'
  changes: ConnectionChanges
}

/** The connection that a reply came on. */
export type ReplyConnection = Pick<
  SmtpConnection,
  'host' | 'greeting' | 'secure' | 'capabilities' | 'rejected' | 'recipientsMax' | 'windowSize'
>

export type ReplyContext = OutcomeContext & { connection: ReplyConnection }

export const NO_CHANGES: ConnectionChanges = {}

export function reuse(effects: Effect[] = [], changes: ConnectionChanges = NO_CHANGES): Outcome {
  return { effects, connection: 'reusable', changes }
}

export function close(effects: Effect[] = [], changes: ConnectionChanges = NO_CHANGES): Outcome {
  return { effects, connection: 'closed', changes }
}

/** Adds to the first outcome, which is not used again. */
export function append(outcome: Outcome, next: Outcome): Outcome {
  outcome.effects.push(...next.effects)
  return {
    effects: outcome.effects,
    connection: next.connection === 'closed' ? 'closed' : outcome.connection,
    changes: next.changes === NO_CHANGES ? outcome.changes : { ...outcome.changes, ...next.changes },
  }
}

/** The limit of a host. The next connection starts with the smallest window. */
export function learnLimit(host: string, limit: HostProfile): Effect {
  return { kind: 'learn_host', host, profile: { ...limit, stride: FIRST_WINDOW_SIZE }, when: 'now' }
}
