import type { Generated } from 'kysely'
import type { SetByDatabase } from '../connection/columns.ts'

export type UserTables = {
  setupTokens: { onlyOne: Generated<boolean>; hash: Buffer; madeAt: Generated<Date> }
  users: UsersTable
}

/** The columns that operator commands read. The sign-in library uses the others. */
type UsersTable = {
  id: SetByDatabase<string>
  name: SetByDatabase<string>
  email: SetByDatabase<string>
  isOperator: Generated<boolean>
  twoFactorEnabled: SetByDatabase<boolean>
}
