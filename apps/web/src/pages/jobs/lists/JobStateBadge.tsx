import { jobStatusLabel } from '@probity/contract/constants/labels'
import { Ban, CircleAlert, CircleCheck, Clock, type LucideIcon, Pause, RefreshCw, ScanText } from 'lucide-react'
import { Badge, type Tone } from '../../../ui/Badge.tsx'

type Look = { tone: Tone; Icon: LucideIcon }

const LOOKS: Record<string, Look> = {
  queued: { tone: 'accent', Icon: Clock },
  planning: { tone: 'accent', Icon: ScanText },
  processing: { tone: 'accent', Icon: RefreshCw },
  paused: { tone: 'risky', Icon: Pause },
  completed: { tone: 'valid', Icon: CircleCheck },
  canceled: { tone: 'unknown', Icon: Ban },
  failed: { tone: 'invalid', Icon: CircleAlert },
}

/** The state of a list: icon, label and color. */
export function JobStateBadge({ status }: { status: string }) {
  const { tone, Icon } = LOOKS[status] ?? { tone: 'accent', Icon: RefreshCw }
  return (
    <Badge tone={tone} icon={<Icon aria-hidden="true" />}>
      {jobStatusLabel(status)}
    </Badge>
  )
}
