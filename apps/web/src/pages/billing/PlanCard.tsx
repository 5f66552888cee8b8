import type { Billing } from '@probity/contract/billing'
import { ExternalLink } from 'lucide-react'
import { useMay } from '../../session/may.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { formatCount } from '../../ui/format.ts'
import { usePortal } from './billing-query.ts'
import { FeatureRows } from './FeatureRows.tsx'
import { priceOf } from './price-words.ts'

/** The plan that the organisation has, whether it is paid for, and how it ends. */
export function PlanCard({ billing }: { billing: Billing }) {
  const { plan, features, subscribed_to: price, has_portal: hasPortal, plans } = billing
  const paid = plans.find((one) => one.price === price)
  const mayBuy = useMay('account:write')
  return (
    <Card title="Your plan" actions={hasPortal && mayBuy && <PortalButton />}>
      <div className="flex flex-col gap-4">
        <div>
          <p className="text-xl font-semibold tracking-[-0.02em]">{plan}</p>
          <p className="text-soft">{paid ? `${priceOf(paid)}, ${creditsOf(paid)}.` : sentenceFor(price)}</p>
        </div>
        <FeatureRows features={features} />
        {price !== null && (
          <p className="max-w-prose text-[0.8125rem] text-faint">
            To change or cancel it, go to the page of the payment provider. A plan that is canceled lasts until what was
            paid for is over; then the organisation goes back to the plan that it had before. Credits stay, and so do
            lists, keys and results.
          </p>
        )}
      </div>
    </Card>
  )
}

function creditsOf({ credits, interval }: Billing['plans'][number]): string {
  if (credits === 0) return 'without credits of its own'
  return `${formatCount(credits, 'credit')} for each ${interval ?? 'period'}`
}

function sentenceFor(price: string | null): string {
  return price === null ? 'You do not pay for it by subscription.' : 'You pay for it at a price that is sold no more.'
}

function PortalButton() {
  const { mutate, isPending } = usePortal()
  return (
    <Button busy={isPending} onClick={() => mutate({})} icon={<ExternalLink className="size-4" aria-hidden="true" />}>
      Invoices and payment
    </Button>
  )
}
