import type { Billing } from '@probity/contract/billing'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { formatCount } from '../../ui/format.ts'
import { useCheckout } from './billing-query.ts'
import { FeatureRows } from './FeatureRows.tsx'
import { priceOf } from './price-words.ts'

type PlansProps = { billing: Billing; mayBuy: boolean }

/** The plans that are sold, side by side. */
export function PlansCard({ billing: { plans, subscribed_to: own }, mayBuy }: PlansProps) {
  const { mutate, isPending, variables } = useCheckout()
  return (
    <Card
      title="Plans"
      about={
        own === null
          ? 'Paid again for each period, until you cancel. You see what is charged before you pay.'
          : 'You have a plan. Change or cancel it by “Invoices and payment” above: there is one at a time.'
      }
    >
      <ul aria-label="Plans" className="grid gap-4 md:grid-cols-[repeat(auto-fit,minmax(17rem,1fr))]">
        {plans.toSorted(byAmount).map((one) => (
          <li key={one.price} className="flex flex-col gap-3 rounded-lg border border-line px-4 py-4">
            <div className="flex items-center justify-between gap-2">
              <h3 className="font-semibold">{one.plan}</h3>
              {one.price === own && <Badge tone="accent">Yours</Badge>}
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
  if (credits === 0) return 'Credits are bought beside it.'
  return `${formatCount(credits, 'credit')} each ${interval ?? 'period'}. They do not expire.`
}

/** From the smallest on; what has no price here comes last. */
function byAmount(a: Billing['plans'][number], b: Billing['plans'][number]): number {
  return (a.amount ?? Infinity) - (b.amount ?? Infinity) || a.credits - b.credits
}
