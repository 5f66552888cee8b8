import type { StandingResult } from './standing-result.ts'

type Ended = Pick<StandingResult, 'status' | 'sub_status'>

/**
 * Whether the credit for a result goes back: where the plan says so of all that end unknown, and always where the mail server was to
 * be asked and could not be, or validation did not start. The database goes by the same rule for lists, in which every validation starts.
 */
export function isGivenBack({ status, sub_status }: Ended, refundUnknown: boolean): boolean {
  return status === 'unknown' && (refundUnknown || sub_status === 'not_probed' || sub_status === 'not_started')
}
