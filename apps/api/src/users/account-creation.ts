import type { User } from '@probity/database/users/users'
import type { People } from './users.ts'

/** Whether a user can create accounts (setting ACCOUNT_CREATION). */
export function mayCreateAccounts(
  { accountCreation }: Pick<People, 'accountCreation'>,
  { isOperator }: Pick<User, 'isOperator'>,
): boolean {
  return accountCreation === 'users' || isOperator
}
