import type { Style } from '../terminal.ts'
import { formatClock } from './format.ts'
import type { View } from './output.ts'

/** The fields that every result has: of a single, bulk or offline validation. */
export type ShownResult = {
  email: string
  status: string
  sub_status: string
  confidence: number
  is_valid: boolean
  depth: string
  did_you_mean?: string | null
  retry_at?: string | null
  /** Present if the request names a policy. */
  policy?: { decision: string; reason: string }
}

const STATUS_STYLES: Partial<Record<string, Style>> = {
  valid: 'green',
  invalid: 'red',
  risky: 'yellow',
  unknown: 'gray',
}

export async function openResultView({ policy }: { policy?: string }): Promise<View<ShownResult>> {
  const [{ SUB_STATUSES }, { reasonLabel, statusLabel }] = await Promise.all([
    import('@probity/contract/constants/validations'),
    import('@probity/contract/constants/labels'),
  ])
  const isDecided = policy !== undefined
  const last = isDecided
    ? [
        { head: 'decision', cell: (result: ShownResult) => result.policy?.decision ?? '' },
        { head: 'decided by', cell: (result: ShownResult) => result.policy?.reason ?? '' },
      ]
    : [{ head: 'meaning', cell: (result: ShownResult) => meaningOf(result, SUB_STATUSES) }]
  return {
    columns: [
      { head: 'address', cell: ({ email }) => email },
      { head: 'status', cell: ({ status }) => statusLabel(status), style: ({ status }) => STATUS_STYLES[status] },
      { head: 'reason', cell: ({ sub_status }) => (sub_status === '' ? '' : reasonLabel(sub_status)) },
      { head: 'confidence', cell: ({ confidence }) => confidence.toFixed(2) },
      ...last,
    ],
    csv: ({ email, status, sub_status, confidence, is_valid, depth, policy: decided }) => ({
      email,
      status,
      sub_status,
      confidence,
      is_valid,
      ...(isDecided && { decision: decided?.decision, reason: decided?.reason }),
      depth,
    }),
  }
}

/** Reasons are an extensible enum: a newer service may send one without a text here. */
type Meanings = Partial<Record<string, { meaning: string }>>

function meaningOf({ sub_status, did_you_mean, retry_at }: ShownResult, meanings: Meanings): string {
  if (did_you_mean) return `did you mean ${did_you_mean}?`
  const meaning = sub_status === '' ? '' : (meanings[sub_status]?.meaning ?? '')
  return retry_at ? `${meaning} Retry after ${formatClock(new Date(retry_at))}.` : meaning
}
