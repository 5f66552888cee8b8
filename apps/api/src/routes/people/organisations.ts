import { NewOrganisation, Organisation } from '@probity/contract/people'
import { listMemberships, openOrganisation, type Person } from '@probity/database/people'
import { requirePerson } from '../../door/session.ts'
import { limitPerson } from '../../people/limits.ts'
import { found, Problem } from '../../problem.ts'
import type { Route } from '../../route.ts'

/** Opens an account for somebody who is signed in. */
export const createOrganisation: Route = async (app, services) => {
  const { db, people } = services
  const schema = { body: NewOrganisation, response: { 201: Organisation } }
  app.post('/organisations', { schema, onRequest: requirePerson(services) }, async (request, reply) => {
    await limitPerson(services, request, 'plain')
    const { userId } = request.person as Person
    const accountId = await openOrganisation(db, userId, request.body.name, people.opening)
    if (accountId === undefined) throw new Problem('too_many_organisations')
    const made = found((await listMemberships(db, userId)).find((one) => one.accountId === accountId))
    return reply.code(201).send({ account_id: accountId, slug: made.slug, name: made.name, role: made.role })
  })
}
