import { queryOptions, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { rolesFor, type Scene, useMay, useScene } from '../../../session/workspace.ts'
import { Card } from '../../../ui/Card.tsx'
import { Page } from '../../../ui/Page.tsx'
import { PageFrame } from '../../../ui/States.tsx'
import { Deliverability } from '../result/Deliverability.tsx'
import { ResultDetails } from '../result/ResultDetails.tsx'

const ABOUT =
  'A stored validation result. It is available until the account’s retention period ends. Viewing it is free.'

/** One result under a URL that does not contain the address. */
export function ValidationPage() {
  const { validationId } = useParams({ from: '/shell/validate/$validationId' })
  const may = useMay('validations:read')
  const query = useQuery({ ...keptQuery(useScene(), validationId), enabled: may })
  return (
    <Page title="Validation result" about={ABOUT} back={{ to: '/validate', name: 'Validate' }} width="narrow">
      <Card>
        <PageFrame
          query={query}
          permission={{ may, what: 'view validations', roles: rolesFor('validations:read') }}
          failed="The result could not be loaded"
          loading="Loading result"
          lines={8}
        >
          {(result) => (
            <>
              <h2 className="sr-only">Result</h2>
              <ResultDetails result={result} Explain={Deliverability} />
            </>
          )}
        </PageFrame>
      </Card>
    </Page>
  )
}

function keptQuery({ key, probity }: Scene, id: string) {
  return queryOptions({
    queryKey: [...key, 'validation', id],
    queryFn: ({ signal }) => probity.validations.get(id, { signal }),
  })
}
