import { useNavigate } from '@tanstack/react-router'
import { Card } from '../../ui/Card.tsx'
import { Page } from '../../ui/Page.tsx'
import { NewOrganisation } from './NewOrganisation.tsx'

/** One more organisation, for people who are in one already. */
export function NewOrganisationPage() {
  const navigate = useNavigate()
  return (
    <Page
      title="New organisation"
      about="It has lists, keys, members and credits of its own. You become its owner and stay a member of the others."
      width="narrow"
    >
      <Card>
        <NewOrganisation
          isFirstChoice
          onOpened={({ slug }) => void navigate({ to: '/quick-start', search: (now) => ({ ...now, org: slug }) })}
        />
      </Card>
    </Page>
  )
}
