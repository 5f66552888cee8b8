import { Invitation, InvitationJoin, InvitationToken } from '@probity/contract/schemas/users'
import type { Db } from '@probity/database/connection/connect'
import {
  findInvitation,
  findNetwork,
  joinByInvitation,
  mayShareInvitation,
  type User,
} from '@probity/database/users/users'
import type { Admission } from '@probity/redis/admission'
import type { FastifyBaseLogger } from 'fastify'
import Type from 'typebox'
import { refuseForeignNetwork } from '../http/networks.ts'
import { found, Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { requireUser } from '../middleware/authentication/session.ts'
import { limitUser } from '../middleware/rate-limit/user-limits.ts'
import { callLibrary, passOnSignIn } from './sign-in/forward-sign-in.ts'
import { refuseWeakPassword } from './sign-in/passwords.ts'
import { invitationToken, isInvitationToken } from './tokens.ts'
import type { UserServices } from './users.ts'

type InvitationDependencies = {
  db: Db
  admission: Admission
  people: UserServices
  log: FastifyBaseLogger
}

const Params = Type.Object({ id: Type.String({ format: 'uuid' }) })

/** An invitation, for clients with its id. Does not reveal whether a user with the address exists: members who invite have the id too. */
export const showInvitation: Route<InvitationDependencies> = async (app, services) => {
  const { db, people } = services
  const schema = { params: Params, response: { 200: Invitation } }
  app.get('/invitations/:id', { schema }, async (request) => {
    await limitUser(services, request, 'plain')
    const invitation = found(await findInvitation(db, request.params.id))
    const { expiresAt, ...rest } = invitation
    return { ...rest, expires_at: expiresAt.toISOString(), link_verifies: !people.hasMail }
  })
}

/** The secret part of the link, for the members who may invite to the role. */
export const shareInvitation: Route<InvitationDependencies> = async (app, services) => {
  const { db, people } = services
  const schema = { params: Params, response: { 200: InvitationToken } }
  app.get('/invitations/:id/token', { schema, onRequest: requireUser(services) }, async (request) => {
    await limitUser(services, request, 'plain')
    const { id } = request.params
    const { userId } = request.person as User
    if (!(await mayShareInvitation(db, id, userId))) throw new Problem('not_found')
    refuseForeignNetwork(request, { accountIpAllowList: await findNetwork(db, { invitationId: id }) })
    return { token: invitationToken(await people.secret(), id) }
  })
}

/**
 * The invited user, who has the link from the inviter and gets no email. With an SMTP relay this route does not exist: there the user
 * signs up and verifies the address by email.
 */
export const joinWithInvitation: Route<InvitationDependencies> = async (app, services) => {
  const { db, people } = services
  app.post('/invitations/:id/join', { schema: { params: Params, body: InvitationJoin } }, async (request, reply) => {
    await limitUser(services, request, 'password')
    if (people.hasMail) throw new Problem('not_found')
    const { id } = request.params
    const { token, name, password } = request.body
    if (!isInvitationToken(await people.secret(), id, token)) throw new Problem('not_found')
    found(await findInvitation(db, id))
    await refuseWeakPassword(password)
    const passwordHash = await people.passwords.hash(password)
    const email = found(await joinByInvitation(db, id, { name, passwordHash }))
    const fields = { email, password }
    const response = await callLibrary(people, request, { method: 'POST', path: '/sign-in/email', fields })
    return passOnSignIn(services, request, reply, { response, status: 201, email })
  })
}
