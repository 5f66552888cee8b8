import type { Billing } from '@probity/contract/schemas/billing'
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
      {error && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
      {data.debt > 0 && <Debt credits={data.debt} />}
      <PlanCard billing={data} />
      {data.enabled ? <Shop billing={data} /> : <NothingSold />}
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

function NothingSold() {
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
