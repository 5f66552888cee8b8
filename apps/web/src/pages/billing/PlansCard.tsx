import type { Billing } from '@probity/contract/schemas/billing'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { formatCount } from '../../ui/format.ts'
import { useCheckout } from './billing-query.ts'
import { FeatureRows } from './FeatureRows.tsx'
import { priceOf } from './price-words.ts'

type PlansProps = { billing: Billing; mayBuy: boolean }

/** The available plans, side by side. */
export function PlansCard({ billing: { plans, subscribed_to: own }, mayBuy }: PlansProps) {
  const { mutate, isPending, variables } = useCheckout()
  return (
    <Card
      title="Plans"
      about={
        own === null
          ? 'Subscriptions renew each period until canceled. The total is shown at checkout.'
          : 'You have a subscription. To change or cancel it, open the billing portal above.'
      }
    >
      <ul aria-label="Plans" className="grid gap-4 md:grid-cols-[repeat(auto-fit,minmax(17rem,1fr))]">
        {plans.toSorted(byAmount).map((one) => (
          <li key={one.price} className="flex flex-col gap-3 rounded-lg border border-line px-4 py-4">
            <div className="flex items-center justify-between gap-2">
              <h3 className="font-semibold">{one.plan}</h3>
              {one.price === own && <Badge tone="accent">Current plan</Badge>}
            </div>
            <p className="text-lg font-semibold tracking-[-0.01em] tabular-nums">{priceOf(one)}</p>
            <p className="text-soft">{given(one)}</p>
            <FeatureRows features={one.features} />
            {mayBuy && own === null && (
              <Button
                look="primary"
                className="mt-auto"
                busy={isPending && variables.price === one.price}
                disabled={isPending && variables.price !== one.price}
                onClick={() => mutate({ price: one.price })}
              >
                Choose {one.plan}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function given({ credits, interval }: Billing['plans'][number]): string {
  if (credits === 0) return 'Credits are sold separately.'
  return `${formatCount(credits, 'credit')} per ${interval ?? 'period'}. Credits do not expire.`
}

/** By ascending amount; plans without an amount are last. */
function byAmount(a: Billing['plans'][number], b: Billing['plans'][number]): number {
  return (a.amount ?? Infinity) - (b.amount ?? Infinity) || a.credits - b.credits
}
