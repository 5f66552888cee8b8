import { healthMessage } from '@probity/contract/constants/system'
import type { Overview } from '@probity/sdk'
import { CircleCheck, CircleHelp } from 'lucide-react'
import { useDelayReason } from '../../../shell/DelayBanner.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { formatClock, formatDate, formatDateTime } from '../../../ui/format.ts'

/** The status of mailbox providers, with times in the user's time zone. */
export function ProvidersLine({ health }: { health: Overview['providers'] }) {
  const isDelayed = typeof useDelayReason() === 'string'
  const message = healthMessage(health, (retryAt) => timeOf(retryAt))
  if (health.status === 'limited') return <Callout kind="warning">{message}</Callout>
  // Without a worker no provider is probed, so the absence of limits means nothing.
  if (isDelayed) return null
  const isNormal = health.status === 'normal'
  const Icon = isNormal ? CircleCheck : CircleHelp
  return (
    <p className="flex items-center gap-2 text-soft">
      <Icon className={isNormal ? 'size-4 shrink-0 text-valid' : 'size-4 shrink-0 text-unknown'} aria-hidden="true" />
      {message}
    </p>
  )
}

/** The time, with the date if it is not today. */
function timeOf(until: string): string {
  return formatDate(until) === formatDate(Date.now()) ? formatClock(until) : formatDateTime(until)
}
