import { planLabel } from '@probity/contract/constants/labels'
import type { Billing } from '@probity/contract/schemas/billing'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { Coins } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { rolesFor, useMay, useScene } from '../../session/workspace.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { Card } from '../../ui/Card.tsx'
import { formatCount } from '../../ui/format.ts'
import { Page } from '../../ui/Page.tsx'
import { EmptyState, PageFrame } from '../../ui/States.tsx'
import { billingQuery, checkoutQuery, isLate } from './billing-query.ts'
import { PacksCard } from './PacksCard.tsx'
import { PlanCard, PlansCard } from './PlansCard.tsx'

const ABOUT = 'Your account’s plan and credit packs. Payments are made on the checkout page of the payment provider.'

export function BillingPage() {
  return (
    <Page title="Plans & credits" about={ABOUT}>
      <ReturnNotice />
      <Everything />
    </Page>
  )
}

function Everything() {
  const query = useQuery(billingQuery(useScene()))
  const { data, error } = query
  if (data === undefined) {
    return (
      <Card>
        <PageFrame query={query} failed="Plans and prices could not be loaded" loading="Loading plans" lines={6} />
      </Card>
    )
  }
  return (
    <>
      {error && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
      {data.debt > 0 && <Debt credits={data.debt} />}
      <PlanCard billing={data} />
      {data.enabled ? <Shop billing={data} /> : <NoPlans />}
    </>
  )
}

function Debt({ credits }: { credits: number }) {
  return (
    <Callout kind="warning" title={`${formatCount(credits, 'credit')} owed`}>
      A payment was refunded or disputed after its credits were used. Credits added to the account settle this debt
      first.
    </Callout>
  )
}

function Shop({ billing }: { billing: Billing }) {
  const mayBuy = useMay('account:write')
  if (billing.packs.length + billing.plans.length === 0) {
    return <Callout title="No plans available yet">The operator of this installation has not set any prices.</Callout>
  }
  return (
    <>
      {!mayBuy && <Callout>You need the role {rolesFor('account:write')} to buy plans and credits.</Callout>}
      {billing.plans.length > 0 && <PlansCard billing={billing} mayBuy={mayBuy} />}
      {billing.packs.length > 0 && <PacksCard packs={billing.packs} mayBuy={mayBuy} />}
    </>
  )
}

function NoPlans() {
  return (
    <Card>
      <EmptyState
        icon={<Coins aria-hidden="true" />}
        title="Billing is not enabled"
        action={
          <Link to="/usage" className={buttonClass()}>
            Show usage and credits
          </Link>
        }
      >
        <p>
          Credits are granted by the operator of this installation. Contact the operator for more credits or another
          plan.
        </p>
      </EmptyState>
    </Card>
  )
}

/** The outcome of a checkout, for users who return from the payment provider. */
function ReturnNotice() {
  const { checkout, session } = useSearch({ from: '/shell/billing' })
  if (checkout === 'canceled') {
    return (
      <Notice kind="info" title="Checkout canceled">
        You were not charged.
      </Notice>
    )
  }
  if (checkout === 'subscribed') return <AwaitedPlan />
  if (checkout === 'paid' && session !== undefined) return <AwaitedCredits session={session} />
  return null
}

/** Users return before the webhook of the payment provider arrives, which usually takes seconds. */
function AwaitedCredits({ session }: { session: string }) {
  const [since] = useState(() => Date.now())
  const queryClient = useQueryClient()
  const { data, error, dataUpdatedAt } = useQuery(checkoutQuery(useScene(), { session, since, queryClient }))
  if (data?.granted) {
    return (
      <Notice kind="success" title={`${formatCount(data.credits, 'credit')} added`}>
        The payment is listed in the credit transactions under Usage & credits.
      </Notice>
    )
  }
  if (error) {
    return (
      <Notice kind="warning" title="Payment status unknown">
        Check again in a minute. If you have paid and no credits are added, contact the operator.
      </Notice>
    )
  }
  if (isLate(since, dataUpdatedAt)) return <Late />
  return <OnItsWay>The credits are added within a minute. You can leave this page.</OnItsWay>
}

function AwaitedPlan() {
  const [since] = useState(() => Date.now())
  const { data, dataUpdatedAt } = useQuery(billingQuery(useScene(), since))
  if (data && data.subscribed_to !== null) {
    return (
      <Notice kind="success" title={`Plan changed to ${planLabel(data.plan)}`}>
        {givesCredits(data) && 'The credits are added with the first invoice in a moment.'}
      </Notice>
    )
  }
  if (isLate(since, dataUpdatedAt)) return <Late />
  return <OnItsWay>The plan is activated within a minute. You can leave this page.</OnItsWay>
}

function OnItsWay({ children }: { children: ReactNode }) {
  return (
    <Callout live title="Payment received">
      {children}
    </Callout>
  )
}

function Late() {
  return (
    <Notice kind="warning" title="Payment is taking longer than usual">
      Some payment methods take days. Credits are added as soon as the payment provider confirms the payment.
    </Notice>
  )
}

function givesCredits({ plans, subscribed_to: price }: Billing): boolean {
  return plans.some((plan) => plan.price === price && plan.credits > 0)
}

type NoticeProps = { kind: 'info' | 'success' | 'warning'; title: string; children: ReactNode }

function Notice({ kind, title, children }: NoticeProps) {
  return (
    <Callout live kind={kind} title={title}>
      <p>{children}</p>
      <p className="mt-2">
        <Link
          to="/billing"
          search={({ mode, org }) => ({ mode, org })}
          replace
          className={buttonClass('secondary', 'sm')}
        >
          Close notice
        </Link>
      </p>
    </Callout>
  )
}
