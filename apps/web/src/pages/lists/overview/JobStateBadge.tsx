import { Ban, CircleAlert, CircleCheck, Clock, type LucideIcon, Pause, RefreshCw, ScanText } from 'lucide-react'
import { Badge, type Tone } from '../../../ui/Badge.tsx'

type Look = { tone: Tone; Icon: LucideIcon; word: string }

const LOOKS: Record<string, Look> = {
  queued: { tone: 'accent', Icon: Clock, word: 'Queued' },
  planning: { tone: 'accent', Icon: ScanText, word: 'Planning' },
  processing: { tone: 'accent', Icon: RefreshCw, word: 'Processing' },
  paused: { tone: 'risky', Icon: Pause, word: 'Paused' },
  completed: { tone: 'valid', Icon: CircleCheck, word: 'Completed' },
  canceled: { tone: 'unknown', Icon: Ban, word: 'Canceled' },
  failed: { tone: 'invalid', Icon: CircleAlert, word: 'Failed' },
}

/** What a list is doing: icon, word and colour. */
export function JobStateBadge({ status }: { status: string }) {
  const { tone, Icon, word } = LOOKS[status] ?? { tone: 'accent', Icon: RefreshCw, word: status }
  return (
    <Badge tone={tone} icon={<Icon aria-hidden="true" />}>
      {word}
    </Badge>
  )
}
