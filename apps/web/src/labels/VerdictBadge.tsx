import { Badge } from '../ui/Badge.tsx'
import { verdictLook } from './verdict.tsx'

/** A verdict with icon, label and color. */
export function VerdictBadge({ status, size = 'sm' }: { status: string; size?: 'sm' | 'lg' }) {
  const { tone, Icon, word } = verdictLook(status)
  return (
    <Badge tone={tone} size={size} icon={<Icon aria-hidden="true" />}>
      {word}
    </Badge>
  )
}
