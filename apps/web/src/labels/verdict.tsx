import { statusLabel } from '@probity/contract/constants/labels'
import { CircleCheck, CircleHelp, CircleX, type LucideIcon, TriangleAlert } from 'lucide-react'
import { Badge, type Tone } from '../ui/Badge.tsx'

type Look = {
  tone: Tone
  Icon: LucideIcon
  /** For all addresses with the verdict. A single result has its own recommendation. */
  advice: string
}

const LOOKS: Record<string, Look> = {
  valid: { tone: 'valid', Icon: CircleCheck, advice: 'Safe to send' },
  invalid: { tone: 'invalid', Icon: CircleX, advice: 'Do not send' },
  risky: { tone: 'risky', Icon: TriangleAlert, advice: 'Depends on bounce tolerance' },
  unknown: { tone: 'unknown', Icon: CircleHelp, advice: 'Not safe to send' },
}
const UNKNOWN = LOOKS['unknown'] as Look

/** An unknown (newer) status looks like `unknown`, with its own name. */
export function verdictLook(status: string): Look & { word: string } {
  return { ...(LOOKS[status] ?? UNKNOWN), word: statusLabel(status) }
}

export const VERDICTS = ['valid', 'risky', 'invalid', 'unknown'] as const
type Verdict = (typeof VERDICTS)[number]

/** Colors of charts. */
export const VERDICT_COLORS: Record<Verdict, string> = {
  valid: 'var(--color-valid-solid)',
  risky: 'var(--color-risky-solid)',
  invalid: 'var(--color-invalid-solid)',
  unknown: 'var(--color-unknown-solid)',
}

/** The number of addresses with any verdict. */
export function totalOf(counts: Record<Verdict, number>): number {
  return VERDICTS.reduce((sum, verdict) => sum + counts[verdict], 0)
}

/** A verdict with icon, label and color. */
export function VerdictBadge({ status, size = 'sm' }: { status: string; size?: 'sm' | 'lg' }) {
  const { tone, Icon, word } = verdictLook(status)
  return (
    <Badge tone={tone} size={size} icon={<Icon aria-hidden="true" />}>
      {word}
    </Badge>
  )
}
