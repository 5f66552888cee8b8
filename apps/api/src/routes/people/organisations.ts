import { CreateAccount, CreatedAccount } from '@probity/contract/schemas/users'
import { cacheSecret } from '@probity/database/system/processes'
import { createAccount, listMemberships, type User } from '@probity/database/users/users'
import { requirePerson } from '../../door/session.ts'
import { mayCreateAccounts } from '../../people/account-creation.ts'
import { limitPerson } from '../../people/limits.ts'
import { hashMailbox } from '../../people/mailbox-hash.ts'
import { found, Problem } from '../../problem.ts'
import type { Route } from '../../route.ts'

/** Creates an account for a signed-in user. */
export const createOrganisation: Route = async (app, services) => {
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
