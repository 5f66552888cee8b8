import { Radio, RefreshCw } from 'lucide-react'
import { Badge } from '../../../ui/Badge.tsx'
import type { Following } from './follow.ts'

/** Whether the page is updated live or by polling. */
export function FollowingBadge({ following }: { following: Following }) {
  if (following.kind === 'opening') return null
  if (following.kind === 'live') {
    return (
      <Badge tone="valid" icon={<Radio aria-hidden="true" />}>
        Live updates
      </Badge>
    )
  }
  return <Badge icon={<RefreshCw aria-hidden="true" />}>Updating every {following.everyS} s</Badge>
}
