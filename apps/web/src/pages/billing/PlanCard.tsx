import type { Billing } from '@probity/contract/schemas/billing'
import { ExternalLink } from 'lucide-react'
import { useMay } from '../../session/may.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { formatCount } from '../../ui/format.ts'
import { usePortal } from './billing-query.ts'
import { FeatureRows } from './FeatureRows.tsx'
import { priceOf } from './price-words.ts'

/** The plan of the account, its price and how to cancel it. */
export function PlanCard({ billing }: { billing: Billing }) {
  const { plan, features, subscribed_to: price, has_portal: hasPortal, plans } = billing
  const paid = plans.find((one) => one.price === price)
  const mayBuy = useMay('account:write')
  return (
    <Card title="Current plan" actions={hasPortal && mayBuy && <PortalButton />}>
      <div className="flex flex-col gap-4">
        <div>
          <p className="text-xl font-semibold tracking-[-0.02em]">{plan}</p>
          <p className="text-soft">{paid ? `${priceOf(paid)}, ${creditsOf(paid)}.` : sentenceFor(price)}</p>
        </div>
        <FeatureRows features={features} />
        {price !== null && (
          <p className="max-w-prose text-[0.8125rem] text-faint">
            To change or cancel the plan, open the billing portal. A canceled plan ends with the paid period. The
            account then returns to its previous plan. Credits, lists, keys and results remain.
          </p>
        )}
      </div>
    </Card>
  )
}

function creditsOf({ credits, interval }: Billing['plans'][number]): string {
  if (credits === 0) return 'credits not included'
  return `${formatCount(credits, 'credit')} per ${interval ?? 'period'}`
}

function sentenceFor(price: string | null): string {
  return price === null ? 'No subscription.' : 'You are on a legacy price.'
}

function PortalButton() {
  const { mutate, isPending } = usePortal()
  return (
    <Button busy={isPending} onClick={() => mutate({})} icon={<ExternalLink className="size-4" aria-hidden="true" />}>
      Open billing portal
    </Button>
  )
}
