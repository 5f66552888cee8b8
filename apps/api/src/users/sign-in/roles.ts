import { ROLES, type Role } from '@probity/contract/constants/users'
import { createAccessControl } from 'better-auth/plugins/access'
import { defaultStatements } from 'better-auth/plugins/organization/access'

/** Our roles in the sign-in library's words. All it decides over is who may invite, change and remove members. */
export function libraryRoles() {
  const access = createAccessControl(defaultStatements)
  const mayMembers = access.newRole({ member: ['create', 'update', 'delete'], invitation: ['create', 'cancel'] })
  const mayNothing = access.newRole({})
  const entries = (Object.keys(ROLES) as Role[]).map((role) => [role, ROLES[role].members ? mayMembers : mayNothing])
  return Object.fromEntries(entries) as Record<Role, typeof mayMembers>
}
