import { useNavigate } from '@tanstack/react-router'
import { useSession } from '../../../session/session.ts'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Page } from '../../../ui/Page.tsx'
import { NewAccount } from './NewAccount.tsx'

/** Creates another account for a user who has one already. */
export function NewAccountPage() {
  const navigate = useNavigate()
  const { person } = useSession()
  return (
    <Page
      title="New account"
      about="An account has its own lists, keys, members and credits. You become its owner and remain a member of your other accounts."
      width="narrow"
    >
      {person.may_create_accounts ? (
        <Card>
          <NewAccount
            isFirstChoice
            onOpened={({ slug }) => void navigate({ to: '/quick-start', search: (now) => ({ ...now, org: slug }) })}
          />
        </Card>
      ) : (
        <Callout title="Only operators can create accounts">
          Ask an operator of this installation to create the account and to invite you.
        </Callout>
      )}
    </Page>
  )
}
