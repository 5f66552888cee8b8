import { ROLES } from '@probity/contract/constants/users'
import { useScene } from '../../../session/scene.ts'
import { InvitationsCard } from './InvitationsCard.tsx'
import { MembersCard } from './MembersCard.tsx'
import { RolesCard } from './RolesCard.tsx'

export function Members() {
  const { membership } = useScene()
  return (
    <>
      <MembersCard />
      {ROLES[membership.role].members && <InvitationsCard />}
      <RolesCard />
    </>
  )
}
