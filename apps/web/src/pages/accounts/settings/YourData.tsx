import { mayUse } from '@probity/contract/constants/users'
import { useScene } from '../../../session/scene.ts'
import { Card } from '../../../ui/Card.tsx'
import { NoPermission } from '../../../ui/States.tsx'
import { DeleteCard } from './DeleteCard.tsx'
import { EraseCard } from './EraseCard.tsx'
import { ExportCard } from './ExportCard.tsx'

/** Export, erasure and deletion. Owners and admins can erase an address; only owners can export and delete. */
export function YourData() {
  const { role } = useScene().membership
  const mayErase = mayUse(role, 'account:write', false)
  if (role !== 'owner') {
    return (
      <>
        {mayErase && <EraseCard />}
        <Card title="Data">
          <NoPermission what="export or delete the account" roles="owner" />
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
