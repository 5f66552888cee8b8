import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { useScene } from '../../../session/scene.ts'
import { useSession } from '../../../session/session.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { IconButton } from '../../../ui/Button.tsx'
import { formatDate } from '../../../ui/format.ts'
import { Menu, MenuItem } from '../../../ui/Menu.tsx'
import { Td } from '../../../ui/Table.tsx'
import { ChangeRoleDialog } from './ChangeRoleDialog.tsx'
import type { Member } from './members-query.ts'
import { RemoveMember } from './RemoveMember.tsx'

const CELL = 'max-sm:block max-sm:border-0 max-sm:p-0'

export function MemberRow({ member, mayChange }: { member: Member; mayChange: boolean }) {
  const { person } = useSession()
  const { user, role, createdAt } = member
  const isMe = user.id === person.id
  return (
    <tr className="max-sm:relative max-sm:block max-sm:border-b max-sm:border-line max-sm:py-3 max-sm:pe-12 max-sm:last:border-0 sm:last:[&>td]:border-0">
      <Td className={CELL}>
        <span className="flex flex-wrap items-center gap-x-2">
          <span className="font-medium [overflow-wrap:anywhere]">{user.name}</span>
          {isMe && <Badge tone="accent">You</Badge>}
        </span>
        <span className="block text-soft [overflow-wrap:anywhere]">{user.email}</span>
      </Td>
      <Td className={`${CELL} capitalize max-sm:mt-1`}>{role}</Td>
      <Td className={`${CELL} whitespace-nowrap text-soft`}>
        <span className="sm:hidden">Joined </span>
        {formatDate(createdAt)}
      </Td>
      {mayChange && (
        <Td className={`${CELL} text-end max-sm:absolute max-sm:end-0 max-sm:top-2`}>
          <MemberMenu member={member} isMe={isMe} />
        </Td>
      )}
    </tr>
  )
}

function MemberMenu({ member, isMe }: { member: Member; isMe: boolean }) {
  const { membership } = useScene()
  const [open, setOpen] = useState<'role' | 'remove'>()
  const close = () => setOpen(undefined)
  const isOutOfReach = member.role === 'owner' && membership.role !== 'owner'
  if (isOutOfReach) return null
  return (
    <>
      <Menu
        label={`Actions for ${member.user.name}`}
        trigger={
          <IconButton label={`Actions for ${member.user.name}`} size="sm">
            <Ellipsis />
          </IconButton>
        }
      >
        <MenuItem onSelect={() => setOpen('role')}>Change role</MenuItem>
        {!isMe && (
          <MenuItem danger onSelect={() => setOpen('remove')}>
            Remove member
          </MenuItem>
        )}
      </Menu>
      {open === 'role' && <ChangeRoleDialog member={member} onClose={close} />}
      {open === 'remove' && <RemoveMember member={member} onClose={close} />}
    </>
  )
}
