import { Ban, Check, Eye } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge, type Tone } from '../../../ui/Badge.tsx'

const LOOKS: Record<string, { tone: Tone; icon: ReactNode; word: string }> = {
  allow: { tone: 'valid', icon: <Check aria-hidden="true" />, word: 'Allow' },
  review: { tone: 'risky', icon: <Eye aria-hidden="true" />, word: 'Review' },
  block: { tone: 'invalid', icon: <Ban aria-hidden="true" />, word: 'Block' },
}

export function DecisionBadge({ decision, size = 'sm' }: { decision: string; size?: 'sm' | 'lg' }) {
  const look = LOOKS[decision]
  return (
    <Badge tone={look?.tone ?? 'unknown'} icon={look?.icon} size={size}>
      {look?.word ?? decision}
    </Badge>
  )
}
