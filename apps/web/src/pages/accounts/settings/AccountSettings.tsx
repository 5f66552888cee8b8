import { mayUse } from '@probity/contract/constants/users'
import { useQuery } from '@tanstack/react-query'
import { accountQuery } from '../../../session/account-query.ts'
import { useScene } from '../../../session/scene.ts'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { ErrorState, Skeleton } from '../../../ui/States.tsx'
import { LeaveCard } from '../../users/members/LeaveCard.tsx'
import { NameCard } from './NameCard.tsx'
import { RetentionCard } from './RetentionCard.tsx'
import { SendingCard } from './SendingCard.tsx'

export function AccountSettings() {
  const scene = useScene()
  const account = useQuery(accountQuery(scene))
  const mayChange = mayUse(scene.membership.role, 'account:write', false)
  return (
    <>
      {!mayChange && <Callout>Read-only. Owners and admins can change these settings.</Callout>}
      <NameCard mayChange={mayChange} />
      {account.isPending && (
        <Card title="Retention and sending">
          <Skeleton lines={4} />
        </Card>
      )}
      {account.isError && (
        <Card title="Retention and sending">
          <ErrorState
            what="The account settings could not be loaded"
            error={account.error}
            onRetry={() => void account.refetch()}
          />
        </Card>
      )}
      {account.isSuccess && (
        <>
          <RetentionCard
            days={account.data.retention_days}
            daysMax={Math.max(account.data.limits.retention_days_max, account.data.retention_days)}
            mayChange={mayChange}
          />
          <SendingCard sending={account.data.sending} mayChange={mayChange} />
        </>
      )}
      <LeaveCard />
    </>
  )
}
