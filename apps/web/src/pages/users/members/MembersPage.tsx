import { ROLES } from '@probity/contract/constants/users'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { describeError } from '../../../labels/error-messages.ts'
import { asRequestFailed, callApi } from '../../../session/client.ts'
import { refreshSession, useSession } from '../../../session/session.ts'
import { useScene } from '../../../session/workspace.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { ConfirmDialog, Dialog } from '../../../ui/Dialog.tsx'
import { FormSummary, useSubmit } from '../../../ui/Form.tsx'
import { formatCount, formatDate } from '../../../ui/format.ts'
import { Menu, MenuItem } from '../../../ui/Menu.tsx'
import { PageFrame } from '../../../ui/States.tsx'
import { type Column, DataTable } from '../../../ui/Table.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { InvitationsCard, InviteDialog } from './InvitationsCard.tsx'
import { type Member, membersKey, membersQuery } from './members-query.ts'
import { RoleChoice, RolesCard } from './RolesCard.tsx'

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

function MembersCard() {
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
      <PageFrame query={members} failed="The members could not be loaded" loading="Loading members" lines={3}>
        {(data) => <MemberTable caption={`Members of ${name}`} members={data} mayChange={mayChange} />}
      </PageFrame>
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </Card>
  )
}

type MemberTableProps = { caption: string; members: Member[]; mayChange: boolean }

function MemberTable({ caption, members, mayChange }: MemberTableProps) {
  return (
    <DataTable
      caption={caption}
      columns={[...COLUMNS, mayChange && MENU_COLUMN]}
      rows={members}
      keyOf={({ id }) => id}
      card={(member) => (
        <div className="flex items-start justify-between gap-3">
          <div className="min-w-0">
            <MemberName member={member} />
            <p className="mt-1 capitalize">{member.role}</p>
            <p className="text-soft">Joined {formatDate(member.createdAt)}</p>
          </div>
          {mayChange && <MemberMenu member={member} />}
        </div>
      )}
    />
  )
}

const COLUMNS: Column<Member>[] = [
  { head: 'Name', cell: (member) => <MemberName member={member} /> },
  { head: 'Role', className: 'capitalize', cell: ({ role }) => role },
  { head: 'Joined', className: 'whitespace-nowrap text-soft', cell: ({ createdAt }) => formatDate(createdAt) },
]

const MENU_COLUMN: Column<Member> = {
  head: 'Actions',
  isHeadHidden: true,
  className: 'text-end',
  cell: (member) => <MemberMenu member={member} />,
}

function MemberName({ member: { user } }: { member: Member }) {
  const { person } = useSession()
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-2">
        <span className="font-medium [overflow-wrap:anywhere]">{user.name}</span>
        {user.id === person.id && <Badge tone="accent">You</Badge>}
      </span>
      <span className="block text-soft [overflow-wrap:anywhere]">{user.email}</span>
    </>
  )
}

function MemberMenu({ member }: { member: Member }) {
  const isMe = member.user.id === useSession().person.id
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

function ChangeRoleDialog({ member, onClose }: { member: Member; onClose(): void }) {
  const scene = useScene()
  const queryClient = useQueryClient()
  const toasts = useToasts()
  const form = useForm({ defaultValues: { role: member.role }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ role }) => {
    const body = { organizationId: scene.membership.account_id, memberId: member.id, role }
    await callApi('/auth/organization/update-member-role', { method: 'POST', body })
    toasts.done(`Role of ${member.user.name} changed to ${role}.`)
    onClose()
    // The user may have changed their own role.
    await Promise.all([queryClient.invalidateQueries({ queryKey: membersKey(scene) }), refreshSession(queryClient)])
  })
  const { isDirty, isSubmitting } = form.formState
  return (
    <Dialog open onClose={onClose} title={`Change role of ${member.user.name}`}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <FormSummary form={form} />
        <RoleChoice input={form.register('role')} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={isSubmitting} disabled={!isDirty}>
            Change role
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function RemoveMember({ member, onClose }: { member: Member; onClose(): void }) {
  const scene = useScene()
  const queryClient = useQueryClient()
  const toasts = useToasts()
  const { account_id: organizationId, name: organisation } = scene.membership
  const { name } = member.user
  const remove = useMutation({
    mutationFn: () => {
      const body = { organizationId, memberIdOrEmail: member.id }
      return callApi('/auth/organization/remove-member', { method: 'POST', body })
    },
    onSuccess: async () => {
      toasts.done(`${name} removed.`)
      onClose()
      await queryClient.invalidateQueries({ queryKey: membersKey(scene) })
    },
  })
  return (
    <ConfirmDialog
      open
      onCancel={onClose}
      onConfirm={() => remove.mutate()}
      title={`Remove ${name}?`}
      confirm="Remove member"
      busy={remove.isPending}
      danger
    >
      <p>
        They lose access to {organisation}. Lists and API keys belong to the account and remain. Keys that this member
        knows keep working. Rotate those keys.
      </p>
      {remove.error && (
        <Callout kind="error" live>
          {describeError(asRequestFailed(remove.error))}
        </Callout>
      )}
    </ConfirmDialog>
  )
}

export function LeaveCard() {
  const { name } = useScene().membership
  const [isOpen, setOpen] = useState(false)
  const leave = useLeave()
  const cancel = () => {
    setOpen(false)
    leave.reset()
  }
  return (
    <Card
      title="Leave account"
      about="Lists, keys and credits remain in the account. To rejoin, you need an invitation."
    >
      <Button onClick={() => setOpen(true)}>Leave {name}</Button>
      <ConfirmDialog
        open={isOpen}
        onCancel={cancel}
        onConfirm={() => leave.mutate()}
        title={`Leave ${name}?`}
        confirm="Leave account"
        busy={leave.isPending}
        danger
      >
        <p>You lose access to its lists and keys. No data is deleted.</p>
        {leave.error && (
          <Callout kind="error" live>
            {describeError(asRequestFailed(leave.error))}
          </Callout>
        )}
      </ConfirmDialog>
    </Card>
  )
}

function useLeave() {
  const { membership } = useScene()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => {
      const body = { organizationId: membership.account_id }
      return callApi('/auth/organization/leave', { method: 'POST', body })
    },
    onSuccess: async () => {
      await navigate({ to: '/', search: { org: undefined, mode: undefined } })
      await refreshSession(queryClient)
    },
  })
}
