import type { MALFORMED_REASONS } from './data/malformed-reasons.ts'

/** What keeps a text from being an address, and where it was met. */
export type Fault = { kind: 'malformed'; reason: FaultReason; at: number }

export type FaultReason = keyof typeof MALFORMED_REASONS

export function fault(reason: FaultReason, at: number): Fault {
  return { kind: 'malformed', reason, at }
}
