import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import { Badge } from '../../ui/Badge.tsx'

/** The status of an answer: its number, and by icon and colour whether it was answered, refused or failed. */
export function StatusBadge({ status }: { status: number }) {
  if (status >= 500) {
    return (
      <Badge tone="invalid" icon={<CircleX role="img" aria-label="Failed" />}>
        {status}
      </Badge>
    )
  }
  if (status >= 400) {
    return (
      <Badge tone="risky" icon={<TriangleAlert role="img" aria-label="Refused" />}>
        {status}
      </Badge>
    )
  }
  return (
    <Badge tone="valid" icon={<CircleCheck role="img" aria-label="Answered" />}>
      {status}
    </Badge>
  )
}
