import type { PlanFeatures } from '@probity/contract/billing'
import { Check, Minus } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatCount, formatNumber } from '../../ui/format.ts'

/** What a plan includes: the same rows in the same order for each, so that they can be compared. */
export function FeatureRows({ features }: { features: PlanFeatures }) {
  return (
    <dl className="grid gap-x-8 gap-y-1.5 sm:grid-cols-[repeat(auto-fit,minmax(15rem,1fr))]">
      <Row name="API with live keys">
        <YesNo is={features.api_access} />
      </Row>
      <Row name="Catch-all detection">
        <YesNo is={features.catchall_detection} />
      </Row>
      <Row name="Model for confidence">
        <YesNo is={features.ai_enhancement} />
      </Row>
      <Row name="Credit back for unknown">
        <YesNo is={features.refund_unknown} />
      </Row>
      <Row name="Addresses in a file">up to {formatNumber(features.emails_per_file)}</Row>
      <Row name="Requests">{rateOf(features)}</Row>
    </dl>
  )
}

function rateOf({ requests_per_window: requests, window_s: seconds }: PlanFeatures): string {
  return `${formatNumber(requests)} ${seconds === 60 ? 'a minute' : `in ${formatCount(seconds, 'second')}`}`
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex items-center justify-between gap-3 border-b border-line py-1.5">
      <dt className="text-soft">{name}</dt>
      <dd className="text-end tabular-nums">{children}</dd>
    </div>
  )
}

function YesNo({ is }: { is: boolean }) {
  const Icon = is ? Check : Minus
  return (
    <span className="inline-flex items-center gap-1.5">
      <Icon className={is ? 'size-4 text-valid' : 'size-4 text-faint'} aria-hidden="true" />
      {is ? 'Yes' : 'No'}
    </span>
  )
}
