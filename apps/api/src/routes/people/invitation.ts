import { Invitation } from '@probity/contract/people'
import { findInvitation } from '@probity/database/people'
import Type from 'typebox'
import { limitPerson } from '../../people/limits.ts'
import { found } from '../../problem.ts'
import type { Route } from '../../route.ts'

const Params = Type.Object({ id: Type.String({ format: 'uuid' }) })

/** An invitation, for whoever has the link to it. Accepting it is the sign-in library's. */
export const showInvitation: Route = async (app, services) => {
  const schema = { params: Params, response: { 200: Invitation } }
  app.get('/invitations/:id', { schema }, async (request) => {
    await limitPerson(services, request, 'plain')
    const { expiresAt, hasAccount, ...rest } = found(await findInvitation(services.db, request.params.id))
    return { ...rest, expires_at: expiresAt.toISOString(), has_account: hasAccount }
  })
}
