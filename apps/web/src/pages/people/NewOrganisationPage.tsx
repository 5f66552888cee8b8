import { useNavigate } from '@tanstack/react-router'
import { useSession } from '../../session/session.ts'
import { Callout } from '../../ui/Callout.tsx'
import { Card } from '../../ui/Card.tsx'
import { Page } from '../../ui/Page.tsx'
import { NewOrganisation } from './NewOrganisation.tsx'

/** One more organisation, for people who are in one already. */
export function NewOrganisationPage() {
  const navigate = useNavigate()
  const { person } = useSession()
  return (
    <Page
      title="New organisation"
      about="It has lists, keys, members and credits of its own. You become its owner and stay a member of the others."
      width="narrow"
    >
      {person.may_create_accounts ? (
        <Card>
          <NewOrganisation
            isFirstChoice
            onOpened={({ slug }) => void navigate({ to: '/quick-start', search: (now) => ({ ...now, org: slug }) })}
          />
        </Card>
      ) : (
        <Callout title="Only operators open organisations here">
          Ask an operator of this installation to open it and to invite you.
        </Callout>
      )}
    </Page>
  )
}
