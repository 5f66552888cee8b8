import { useScene } from '../../session/scene.ts'
import { Card } from '../../ui/Card.tsx'
import { NoPermission } from '../../ui/States.tsx'
import { DeleteCard } from './DeleteCard.tsx'
import { ExportCard } from './ExportCard.tsx'

/** Taking everything along, and ending it. For owners. */
export function YourData() {
  if (useScene().membership.role !== 'owner') {
    return (
      <Card title="Data">
        <NoPermission what="export or delete the organisation" roles="owner" />
      </Card>
    )
  }
  return (
    <>
      <ExportCard />
      <DeleteCard />
    </>
  )
}
