import type { Billing } from '@probity/contract/billing'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Coins } from 'lucide-react'
import { rolesFor, useMay } from '../../session/may.ts'
import { useScene } from '../../session/scene.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { Card } from '../../ui/Card.tsx'
import { formatCount } from '../../ui/format.ts'
import { Page } from '../../ui/Page.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import { billingQuery } from './billing-query.ts'
import { PacksCard } from './PacksCard.tsx'
import { PlanCard } from './PlanCard.tsx'
import { PlansCard } from './PlansCard.tsx'
import { ReturnNotice } from './ReturnNotice.tsx'

const ABOUT = 'The plan of the organisation, and credits to buy. You pay on a page of the payment provider.'

export function BillingPage() {
  return (
    <Page title="Plans & credits" about={ABOUT}>
      <ReturnNotice />
      <Everything />
    </Page>
  )
}

function Everything() {
  const { data, error, refetch } = useQuery(billingQuery(useScene()))
  if (data === undefined) {
    return (
      <Card>
        {error ? (
          <ErrorState error={error} onRetry={() => void refetch()} what="Plans and prices could not be loaded" />
        ) : (
          <Skeleton lines={6} label="Loading plans" />
        )}
      </Card>
    )
  }
  return (
    <>
      {error && <Callout kind="warning">This is as last seen: the service did not answer just now.</Callout>}
      {data.debt > 0 && <Debt credits={data.debt} />}
      <PlanCard billing={data} />
      {data.enabled ? <Shop billing={data} /> : <NothingSold />}
    </>
  )
}

function Debt({ credits }: { credits: number }) {
  return (
    <Callout kind="warning" title={`${formatCount(credits, 'credit')} owed`}>
      A payment was refunded or disputed after its credits were used. The next credits of the organisation pay the debt
      first.
    </Callout>
  )
}

function Shop({ billing }: { billing: Billing }) {
  const mayBuy = useMay('account:write')
  if (billing.packs.length + billing.plans.length === 0) {
    return <Callout title="Nothing is for sale yet">The operator of this installation has set no prices.</Callout>
  }
  return (
    <>
      {!mayBuy && (
        <Callout>
          Buying needs the role {rolesFor('account:write')}. Everybody in the organisation sees the prices.
        </Callout>
      )}
      {billing.plans.length > 0 && <PlansCard billing={billing} mayBuy={mayBuy} />}
      {billing.packs.length > 0 && <PacksCard packs={billing.packs} mayBuy={mayBuy} />}
    </>
  )
}

function NothingSold() {
  return (
    <Card>
      <EmptyState
        icon={<Coins aria-hidden="true" />}
        title="Nothing is sold here"
        action={
          <Link to="/usage" className={buttonClass()}>
            See usage and credits
          </Link>
        }
      >
        <p>Credits come from the operator of this installation. Ask them where you need more, or another plan.</p>
      </EmptyState>
    </Card>
  )
}
