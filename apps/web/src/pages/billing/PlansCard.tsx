import { planLabel } from '@probity/contract/constants/labels'
import type { Billing, PlanFeatures } from '@probity/contract/schemas/billing'
import { Check, ExternalLink, Minus } from 'lucide-react'
import type { ReactNode } from 'react'
import { useMay } from '../../session/workspace.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { priceOf, useCheckout, usePortal } from './billing-query.ts'

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
              <h3 className="font-semibold">{planLabel(one.plan)}</h3>
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
                Choose {planLabel(one.plan)}
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

/** The plan of the account, its price and how to cancel it. */
export function PlanCard({ billing }: { billing: Billing }) {
  const { plan, features, subscribed_to: price, has_portal: hasPortal, plans } = billing
  const paid = plans.find((one) => one.price === price)
  const mayBuy = useMay('account:write')
  return (
    <Card title="Current plan" actions={hasPortal && mayBuy && <PortalButton />}>
      <div className="flex flex-col gap-4">
        <div>
          <p className="text-xl font-semibold tracking-[-0.02em]">{planLabel(plan)}</p>
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

/** The features of a plan: the same rows in the same order for each plan, for comparison. */
function FeatureRows({ features }: { features: PlanFeatures }) {
  return (
    <dl className="grid gap-x-8 gap-y-1.5 sm:grid-cols-[repeat(auto-fit,minmax(15rem,1fr))]">
      <Row name="API access in live mode">
        <YesNo is={features.api_access} />
      </Row>
      <Row name="Catch-all detection">
        <YesNo is={features.catchall_detection} />
      </Row>
      <Row name="Text model">
        <YesNo is={features.ai_enhancement} />
      </Row>
      <Row name="Refund for unknown results">
        <YesNo is={features.refund_unknown} />
      </Row>
      <Row name="Addresses per list">Up to {formatNumber(features.emails_per_file)}</Row>
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
