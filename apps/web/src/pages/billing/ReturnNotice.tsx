import type { Billing } from '@probity/contract/billing'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useScene } from '../../session/scene.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { formatCount } from '../../ui/format.ts'
import { billingQuery, checkoutQuery, isLate } from './billing-query.ts'

/** What became of the way to the payment provider, for whoever comes back from there. */
export function ReturnNotice() {
  const { checkout, session } = useSearch({ from: '/shell/billing' })
  if (checkout === 'canceled') {
    return (
      <Notice kind="info" title="Nothing was bought">
        You came back without paying. Nothing was charged.
      </Notice>
    )
  }
  if (checkout === 'subscribed') return <AwaitedPlan />
  if (checkout === 'paid' && session !== undefined) return <AwaitedCredits session={session} />
  return null
}

/** People are back before the payment provider has told the service, which takes seconds as a rule. */
function AwaitedCredits({ session }: { session: string }) {
  const [since] = useState(() => Date.now())
  const queryClient = useQueryClient()
  const { data, error, dataUpdatedAt } = useQuery(checkoutQuery(useScene(), { session, since, queryClient }))
  if (data?.granted) {
    return (
      <Notice kind="success" title={`${formatCount(data.credits, 'credit')} were added`}>
        The payment is in the movements of credits, under Usage & credits.
      </Notice>
    )
  }
  if (error) {
    return (
      <Notice kind="warning" title="This page cannot tell whether your payment has arrived">
        Look again in a minute. If you have paid and no credits come, ask the operator.
      </Notice>
    )
  }
  if (isLate(since, dataUpdatedAt)) return <Late />
  return <OnItsWay>The credits arrive within a minute. You need not stay here.</OnItsWay>
}

function AwaitedPlan() {
  const [since] = useState(() => Date.now())
  const { data, dataUpdatedAt } = useQuery(billingQuery(useScene(), since))
  if (data && data.subscribed_to !== null) {
    return (
      <Notice kind="success" title={`The plan of the organisation is ${data.plan}`}>
        {givesCredits(data) && 'Its credits come with the first invoice, which takes another moment.'}
      </Notice>
    )
  }
  if (isLate(since, dataUpdatedAt)) return <Late />
  return <OnItsWay>The plan arrives within a minute. You need not stay here.</OnItsWay>
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
    <Notice kind="warning" title="It takes longer than usual">
      Some ways to pay take days. What was paid is added as soon as the payment provider says that it has come.
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
          Close this note
        </Link>
      </p>
    </Callout>
  )
}
