import { CreateAccount, CreatedAccount } from '@probity/contract/schemas/users'
import type { Db } from '@probity/database/connection/connect'
import { cacheSecret } from '@probity/database/system/processes'
import { createAccount, listMemberships, type User } from '@probity/database/users/users'
import type { Admission } from '@probity/redis/admission'
import { found, Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { requirePerson } from '../middleware/authentication/session.ts'
import { limitPerson } from '../middleware/rate-limit/user-limits.ts'
import { mayCreateAccounts } from './account-creation.ts'
import { hashMailbox } from './mailbox-hash.ts'
import type { People } from './users.ts'

type AccountsDependencies = {
  db: Db
  admission: Admission
  people: People
}

/** Creates an account for a signed-in user. */
export const createOrganisation: Route<AccountsDependencies> = async (app, services) => {
  const { db, people } = services
  const secret = cacheSecret(db, 'opening_grants')
  const schema = { body: CreateAccount, response: { 201: CreatedAccount } }
  app.post('/accounts', { schema, onRequest: requirePerson(services) }, async (request, reply) => {
    await limitPerson(services, request, 'plain')
    const person = request.person as User
    if (!mayCreateAccounts(people, person)) throw new Problem('account_creation_closed')
    const { userId, email } = person
    const creator = { userId, addressHash: hashMailbox(email, await secret()) }
    const accountId = await createAccount(db, creator, request.body.name, people.opening)
    if (accountId === undefined) throw new Problem('too_many_accounts')
    const made = found((await listMemberships(db, userId)).find((one) => one.accountId === accountId))
    return reply.code(201).send({ account_id: accountId, slug: made.slug, name: made.name, role: made.role })
  })
}
