import { Sessions } from '@probity/contract/people'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { readSessionToken, requirePerson } from '../../door/session.ts'
import { askLibrary } from '../../people/ask-library.ts'
import { limitPerson } from '../../people/limits.ts'
import { found, Problem } from '../../problem.ts'
import type { Route } from '../../route.ts'
import type { Services } from '../../services.ts'

/** As the sign-in library lists them. The tokens stay here: a page has no use for them, and whoever reads it would. */
type LibrarySession = {
  id: string
  token: string
  ipAddress?: string | null
  userAgent?: string | null
  createdAt: string
  lastSeenAt: string
}

/** Where the person is signed in. */
export const listSessions: Route = async (app, services) => {
  const options = { schema: { response: { 200: Sessions } }, onRequest: requirePerson(services) }
  app.get('/sessions', options, async (request) => {
    await limitPerson(services, request, 'plain')
    const own = await readSessionToken(services, request)
    const sessions = (await askForSessions(services, request)).map((session) => ({
      id: session.id,
      ip_address: session.ipAddress || null,
      user_agent: session.userAgent || null,
      created_at: session.createdAt,
      last_seen_at: session.lastSeenAt,
      is_current: session.token === own,
    }))
    const byUse = sessions.toSorted((a, b) => b.last_seen_at.localeCompare(a.last_seen_at))
    return { sessions: byUse.toSorted((a, b) => Number(b.is_current) - Number(a.is_current)) }
  })
}

const Params = Type.Object({ id: Type.String({ format: 'uuid' }) })

/** Ends one of the person's sessions, wherever it is. */
export const endSession: Route = async (app, services) => {
  const options = { schema: { params: Params }, onRequest: requirePerson(services) }
  app.delete('/sessions/:id', options, async (request, reply) => {
    await limitPerson(services, request, 'plain')
    const { token } = found((await askForSessions(services, request)).find(({ id }) => id === request.params.id))
    await askLibrary(services.people, request, { method: 'POST', path: '/revoke-session', fields: { token } })
    return reply.code(204).send()
  })
}

async function askForSessions({ people }: Services, request: FastifyRequest): Promise<LibrarySession[]> {
  const response = await askLibrary(people, request, { method: 'GET', path: '/list-sessions', fields: {} })
  // Another request may have ended the session since this one was let in.
  if (!response.ok) throw new Problem('not_signed_in')
  return (await response.json()) as LibrarySession[]
}
