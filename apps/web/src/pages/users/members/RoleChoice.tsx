import { ROLES, type Role } from '@probity/contract/constants/users'
import type { UseFormRegisterReturn } from 'react-hook-form'
import { useScene } from '../../../session/scene.ts'
import { Radio } from '../../../ui/Field.tsx'

export const ROLE_NAMES = Object.keys(ROLES) as Role[]

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
