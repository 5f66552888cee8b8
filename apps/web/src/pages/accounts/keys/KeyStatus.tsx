import { Ban, CircleCheck, CirclePause, ClockAlert, RefreshCw } from 'lucide-react'
import { Badge } from '../../../ui/Badge.tsx'
import type { Key } from './keys-query.ts'

/** The status of a key. A rotated key works until it expires. */
export function KeyStatus({ status, replaced_by_key_id: replacedBy }: Pick<Key, 'status' | 'replaced_by_key_id'>) {
  if (status === 'active' && replacedBy)
    return (
      <Badge tone="risky" icon={<RefreshCw aria-hidden="true" />}>
        Rotated
      </Badge>
    )
  const { word, tone, Icon } = LOOKS[status] ?? { ...LOOKS.expired, word: status }
  return (
    <Badge tone={tone} icon={<Icon aria-hidden="true" />}>
      {word}
    </Badge>
  )
}

const LOOKS = {
  active: { word: 'Active', tone: 'valid', Icon: CircleCheck },
  paused: { word: 'Paused', tone: 'risky', Icon: CirclePause },
  revoked: { word: 'Revoked', tone: 'invalid', Icon: Ban },
  expired: { word: 'Expired', tone: 'unknown', Icon: ClockAlert },
} as const
