import { Session, Sessions } from '@probity/contract/schemas/users'
import type { Db } from '@probity/database/connection/connect'
import { deleteOtherSessions, deleteSession, listSessions as readSessions } from '@probity/database/users/sessions'
import { listMemberships, type User } from '@probity/database/users/users'
import type { Admission } from '@probity/redis/admission'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import { type OperatorAccess, operatorAccess } from '../../middleware/authentication/operator.ts'
import { readSessionToken, requireUser } from '../../middleware/authentication/session.ts'
import { limitUser } from '../../middleware/rate-limit/user-limits.ts'
import { mayCreateAccounts } from '../accounts.ts'
import type { UserServices } from '../users.ts'

type SessionsDependencies = {
  db: Db
  admission: Admission
  people: UserServices
}

/** Active sessions of the user. */
export const listSessions: Route<SessionsDependencies> = async (app, services) => {
  const options = { schema: { response: { 200: Sessions } }, onRequest: requireUser(services) }
  app.get('/sessions', options, async (request) => {
    await limitUser(services, request, 'plain')
    const { userId, token } = await readOwn(services, request)
    const sessions = await readSessions(services.people.users, userId, token)
    return {
      sessions: sessions.map((session) => ({
        id: session.id,
        ip_address: session.ipAddress || null,
        user_agent: session.userAgent || null,
        created_at: session.createdAt.toISOString(),
        last_seen_at: session.lastSeenAt.toISOString(),
        is_current: session.isCurrent,
      })),
    }
  })
}

const Params = Type.Object({ id: Type.String({ format: 'uuid' }) })

/** Ends one of the user's sessions. */
export const endSession: Route<SessionsDependencies> = async (app, services) => {
  const options = { schema: { params: Params }, onRequest: requireUser(services) }
  app.delete('/sessions/:id', options, async (request, reply) => {
    await limitUser(services, request, 'plain')
    const { userId } = request.person as User
    const isEnded = await deleteSession(services.people.users, userId, request.params.id)
    if (!isEnded) throw new Problem('not_found')
    return reply.code(204).send()
  })
}

/** Ends all sessions of the user except the current one. */
export const endOtherSessions: Route<SessionsDependencies> = async (app, services) => {
  app.delete('/sessions', { onRequest: requireUser(services) }, async (request, reply) => {
    await limitUser(services, request, 'plain')
    const { userId, token } = await readOwn(services, request)
    await deleteOtherSessions(services.people.users, userId, token)
    return reply.code(204).send()
  })
}

async function readOwn(
  services: SessionsDependencies,
  request: FastifyRequest,
): Promise<{ userId: string; token: string }> {
  const token = await readSessionToken(services, request)
  if (token === undefined) throw new Problem('unauthenticated')
  return { userId: (request.person as User).userId, token }
}

type SessionDependencies = {
  db: Db
  people: UserServices
  operators: OperatorAccess
}

/** The signed-in user and the accounts they belong to. */
export const showSession: Route<SessionDependencies> = async (app, services) => {
  const options = { schema: { response: { 200: Session } }, onRequest: requireUser(services) }
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
