import { ROLES } from '@probity/contract/constants/users'
import { useQuery } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { useScene } from '../../../session/scene.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatCount } from '../../../ui/format.ts'
import { ErrorState, Skeleton } from '../../../ui/States.tsx'
import { Table, Th } from '../../../ui/Table.tsx'
import { InviteDialog } from './InviteDialog.tsx'
import { MemberRow } from './MemberRow.tsx'
import { membersQuery } from './members-query.ts'

export function MembersCard() {
  const scene = useScene()
  const [isInviting, setInviting] = useState(false)
  const members = useQuery(membersQuery(scene))
  const { name, role } = scene.membership
  const mayChange = ROLES[role].members
  const about = members.isSuccess ? `${formatCount(members.data.length, 'member')} in ${name}.` : undefined
  return (
    <Card
      title="Members"
      about={mayChange ? about : `${about ?? ''} Owners and admins can invite members and change their roles.`}
      actions={
        mayChange && (
          <Button
            look="primary"
            icon={<UserPlus className="size-4" aria-hidden="true" />}
            onClick={() => setInviting(true)}
          >
            Invite member
          </Button>
        )
      }
    >
      {members.isPending && <Skeleton lines={3} label="Loading members" />}
      {members.isError && (
        <ErrorState
          what="The members could not be loaded"
          error={members.error}
          onRetry={() => void members.refetch()}
        />
      )}
      {members.isSuccess && (
        <Table caption={`Members of ${name}`}>
          <thead className="max-sm:sr-only">
            <tr>
              <Th>Name</Th>
              <Th>Role</Th>
              <Th>Joined</Th>
              {mayChange && (
                <Th>
                  <span className="sr-only">Actions</span>
                </Th>
              )}
            </tr>
          </thead>
          <tbody>
            {members.data.map((member) => (
              <MemberRow key={member.id} member={member} mayChange={mayChange} />
            ))}
          </tbody>
        </Table>
      )}
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </Card>
  )
}
