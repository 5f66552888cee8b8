import { mayUse } from '@probity/contract/roles'
import { useScene } from '../../session/scene.ts'
import { Card } from '../../ui/Card.tsx'
import { NoPermission } from '../../ui/States.tsx'
import { DeleteCard } from './DeleteCard.tsx'
import { EraseCard } from './EraseCard.tsx'
import { ExportCard } from './ExportCard.tsx'

/** Exporting and deleting data. Erasing an address is for owners and admins, the rest for owners. */
export function YourData() {
  const { role } = useScene().membership
  const mayErase = mayUse(role, 'account:write', false)
  if (role !== 'owner') {
    return (
      <>
        {mayErase && <EraseCard />}
        <Card title="Data">
          <NoPermission what="export or delete the organisation" roles="owner" />
        </Card>
      </>
    )
  }
  return (
    <>
      <ExportCard />
      <EraseCard />
      <DeleteCard />
    </>
  )
}
