import { healthSentence } from '@probity/contract/provider-health'
import type { Overview } from '@probity/sdk'
import { CircleCheck, CircleHelp } from 'lucide-react'
import { useDelayReason } from '../../shell/DelayBanner.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { formatClock, formatDate, formatDateTime } from '../../ui/format.ts'

/** How mail providers treat the service, in one sentence and in the reader's own time. */
export function ProvidersLine({ health }: { health: Overview['providers'] }) {
  const isDelayed = typeof useDelayReason() === 'string'
  const sentence = healthSentence(health, (until) => timeOf(until))
  if (health.status === 'limited') return <Callout kind="warning">{sentence}</Callout>
  // Without a worker no provider is asked: that none limits us says nothing.
  if (isDelayed) return null
  const isNormal = health.status === 'normal'
  const Icon = isNormal ? CircleCheck : CircleHelp
  return (
    <p className="flex items-center gap-2 text-soft">
      <Icon className={isNormal ? 'size-4 shrink-0 text-valid' : 'size-4 shrink-0 text-unknown'} aria-hidden="true" />
      {sentence}
    </p>
  )
}

/** The day, too, where it is another one. */
function timeOf(until: string): string {
  return formatDate(until) === formatDate(Date.now()) ? formatClock(until) : formatDateTime(until)
}
