import type { PlanFeatures } from '@probity/contract/schemas/billing'
import { Check, Minus } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatCount, formatNumber } from '../../ui/format.ts'

/** The features of a plan: the same rows in the same order for each plan, for comparison. */
export function FeatureRows({ features }: { features: PlanFeatures }) {
  return (
    <dl className="grid gap-x-8 gap-y-1.5 sm:grid-cols-[repeat(auto-fit,minmax(15rem,1fr))]">
      <Row name="API access in live mode">
        <YesNo is={features.api_access} />
      </Row>
      <Row name="Catch-all detection">
        <YesNo is={features.catchall_detection} />
      </Row>
      <Row name="Confidence model">
        <YesNo is={features.ai_enhancement} />
      </Row>
      <Row name="Refund for unknown results">
        <YesNo is={features.refund_unknown} />
      </Row>
      <Row name="Addresses per list">up to {formatNumber(features.emails_per_file)}</Row>
      <Row name="Rate limit">{rateOf(features)}</Row>
    </dl>
  )
}

function rateOf({ requests_per_window: requests, window_s: seconds }: PlanFeatures): string {
  return `${formatNumber(requests)} requests per ${seconds === 60 ? 'minute' : formatCount(seconds, 'second')}`
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
