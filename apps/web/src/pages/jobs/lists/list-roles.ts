import { rolesFor } from '../../../session/may.ts'

/** The roles that may create and change lists, as text. */
export const LIST_ROLES = rolesFor('jobs:write')
