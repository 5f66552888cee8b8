import { rolesFor } from '../../session/may.ts'

/** Who may make lists and change them, in words. */
export const LIST_ROLES = rolesFor('jobs:write')
