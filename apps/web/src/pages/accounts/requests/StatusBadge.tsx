import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import { Badge } from '../../../ui/Badge.tsx'

/** The HTTP status of a response. Icon and color show its class. */
export function StatusBadge({ status }: { status: number }) {
  if (status >= 500) {
    return (
      <Badge tone="invalid" icon={<CircleX role="img" aria-label="Server error" />}>
        {status}
      </Badge>
    )
  }
  if (status >= 400) {
    return (
      <Badge tone="risky" icon={<TriangleAlert role="img" aria-label="Client error" />}>
        {status}
      </Badge>
    )
  }
  return (
    <Badge tone="valid" icon={<CircleCheck role="img" aria-label="Success" />}>
      {status}
    </Badge>
  )
}
