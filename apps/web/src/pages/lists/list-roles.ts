import { mayUse, ROLES, type Role } from '@probity/contract/roles'

const ABLE = (Object.keys(ROLES) as Role[]).filter((role) => mayUse(role, 'bulk', false))

/** Who may make lists and change them, in words. */
export const LIST_ROLES = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(ABLE)
