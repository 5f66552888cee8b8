import { nullableString } from './nullable.ts'
import { openList, valueList } from './value-list.ts'

/** Reasons why validation makes no progress. */
const DELAY_REASONS = {
  no_worker: 'no worker is running. Work continues where it stopped as soon as one runs.',
} as const satisfies Record<string, string>

export type DelayReason = keyof typeof DELAY_REASONS

/** Reasons why a job makes no progress. */
const JOB_DELAY_REASONS = {
  ...DELAY_REASONS,
  under_review:
    'the abuse limits paused the job: an operator reviews the list and then releases or cancels it. The job cannot be resumed meanwhile.',
} as const satisfies Record<string, string>

export type JobDelayReason = keyof typeof JOB_DELAY_REASONS

/** `subject` begins the description: the reason why it is delayed, or null. */
export function delayReasonField(subject: string) {
  return reasonField(subject, DELAY_REASONS)
}

/** The same for a job. */
export function jobDelayReasonField(subject: string) {
  return reasonField(subject, JOB_DELAY_REASONS)
}

function reasonField(subject: string, reasons: Record<string, string>) {
  const { examples, ...list } = openList(reasons)
  const description = `${subject}; null while it is not. Values may be added.${valueList(reasons)}`
  return nullableString({ ...list, examples: [...examples, null], description })
}
