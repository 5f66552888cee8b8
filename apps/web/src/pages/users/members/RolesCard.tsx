import { mayUse, ROLES, type Role } from '@probity/contract/constants/users'
import { Check, Minus } from 'lucide-react'
import type { UseFormRegisterReturn } from 'react-hook-form'
import { useScene } from '../../../session/workspace.ts'
import { Card } from '../../../ui/Card.tsx'
import { Radio } from '../../../ui/Field.tsx'
import { type Column, DataTable } from '../../../ui/Table.tsx'

type Power = { what: string; has(role: Role): boolean }

/** Derived from the role table that the API enforces. */
const POWERS: Power[] = [
  { what: 'View lists, results and the account', has: (role) => mayUse(role, 'jobs:read', true) },
  { what: 'Validate single addresses', has: (role) => mayUse(role, 'validations:write', false) },
  { what: 'Upload and manage lists', has: (role) => mayUse(role, 'jobs:write', false) },
  { what: 'Manage API keys', has: (role) => mayUse(role, 'keys:write', false) },
  { what: 'Manage webhooks', has: (role) => mayUse(role, 'webhooks:write', false) },
  { what: 'Invite, change and remove members', has: (role) => ROLES[role].members },
  { what: 'Change account settings', has: (role) => mayUse(role, 'account:write', false) },
  { what: 'Add and remove owners', has: (role) => role === 'owner' },
]

const ROLE_NAMES = Object.keys(ROLES) as Role[]

const COLUMNS: Column<Power>[] = [
  { head: 'Permission', isRowHead: true, className: 'min-w-40 font-normal', cell: ({ what }) => what },
  ...ROLE_NAMES.map((role) => ({
    head: role,
    headClassName: 'text-center! capitalize',
    className: 'py-2! text-center',
    cell: ({ has }: Power) => <YesOrNo yes={has(role)} />,
  })),
]

export function RolesCard() {
  const { membership } = useScene()
  return (
    <Card title="Roles" about={`Permissions of each role. Your role is ${membership.role}.`}>
      <DataTable
        caption="Role permissions"
        columns={COLUMNS}
        rows={POWERS}
        keyOf={({ what }) => what}
        card={(power) => <PowerCard power={power} />}
      />
    </Card>
  )
}

/** The names of the roles that have the permission. */
function PowerCard({ power: { what, has } }: { power: Power }) {
  return (
    <>
      <p>{what}</p>
      <p className="text-[0.8125rem] text-soft capitalize">{ROLE_NAMES.filter(has).join(', ')}</p>
    </>
  )
}

function YesOrNo({ yes }: { yes: boolean }) {
  const Icon = yes ? Check : Minus
  return (
    <>
      <Icon className={yes ? 'mx-auto size-4 text-valid' : 'mx-auto size-4 text-faint opacity-60'} aria-hidden="true" />
      <span className="sr-only">{yes ? 'Yes' : 'No'}</span>
    </>
  )
}

/** The roles with their descriptions. Only owners can assign the owner role. */
export function RoleChoice({ input }: { input: UseFormRegisterReturn }) {
  const { membership } = useScene()
  const offered = ROLE_NAMES.filter((role) => role !== 'owner' || membership.role === 'owner')
  return (
    <fieldset className="flex flex-col gap-2.5">
      <legend className="mb-2 font-medium">Role</legend>
      {offered.map((role) => (
        <Radio
          key={role}
          {...input}
          value={role}
          label={<span className="font-medium capitalize">{role}</span>}
          hint={ROLES[role].meaning}
        />
      ))}
    </fieldset>
  )
}
