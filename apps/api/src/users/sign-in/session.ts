import { Session } from '@probity/contract/schemas/users'
import type { Db } from '@probity/database/connection/connect'
import { listMemberships, type User } from '@probity/database/users/users'
import type { Route } from '../../http/route.ts'
import type { OperatorAccess } from '../../middleware/authentication/operator.ts'
import { operatorAccess } from '../../middleware/authentication/operator.ts'
import { requirePerson } from '../../middleware/authentication/session.ts'
import { mayCreateAccounts } from '../account-creation.ts'
import type { People } from '../users.ts'

type SessionDependencies = {
  db: Db
  people: People
  operators: OperatorAccess
}

/** Who is signed in, and the organisations they belong to. */
export const showSession: Route<SessionDependencies> = async (app, services) => {
  const options = { schema: { response: { 200: Session } }, onRequest: requirePerson(services) }
  app.get('/session', options, async ({ person, ip }) => {
    const user = person as User
    const { userId, name, email, emailVerified, twoFactor, isOperator } = user
    const memberships = await listMemberships(services.db, userId)
    return {
      person: {
        id: userId,
        name,
        email,
        email_verified: emailVerified,
        two_factor: twoFactor,
        is_operator: isOperator,
        may_create_accounts: mayCreateAccounts(services.people, user),
      },
      operator_access: operatorAccess(services, user, { ip }),
      memberships: memberships.map(({ accountId, ...rest }) => ({ account_id: accountId, ...rest })),
    }
  })
}
