import type { MALFORMED_REASONS } from './data/malformed-reasons.ts'

/** Why a text is not an address, and the position of the error. */
export type Fault = { kind: 'malformed'; reason: FaultReason; at: number }

export type FaultReason = keyof typeof MALFORMED_REASONS

export function fault(reason: FaultReason, at: number): Fault {
  return { kind: 'malformed', reason, at }
}
