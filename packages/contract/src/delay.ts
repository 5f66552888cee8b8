import { nullableString } from './nullable.ts'
import { openList, valueList } from './value-list.ts'

/** Why validation makes no progress. */
const DELAY_REASONS = {
  no_worker: 'no worker is running. Work continues where it stopped as soon as one runs.',
} as const satisfies Record<string, string>

export type DelayReason = keyof typeof DELAY_REASONS

/** `subject` begins the description: the reason why it is delayed, or null. */
export function delayReasonField(subject: string) {
  const { examples, ...list } = openList(DELAY_REASONS)
  const description = `${subject}; null while it is not. The list is open.${valueList(DELAY_REASONS)}`
  return nullableString({ ...list, examples: [...examples, null], description })
}
