import { type Actor, actAs } from '@probity/database/connection/actor'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Names the actor for the audit log. Runs when the client is known and the body read, and as a callback: everything that follows runs
 * inside. Requests that only read have no actor; those that export data name it themselves (record-export.ts).
 */
export function noteActor(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  if (request.method === 'GET' || request.method === 'HEAD') done()
  else actAs(actorOf(request), done)
}

export function actorOf({ auth, person, ip }: FastifyRequest): Actor {
  if (person) {
    const { userId: id, name } = person
    return { kind: 'member', id, name, ip, ...(auth && { account: auth.accountId }) }
  }
  if (auth?.id) return { kind: 'key', id: auth.id, name: auth.name, ip, account: auth.accountId }
  return { kind: 'nobody', ip }
}

/** The same for those who run the installation, whose word goes for every account. */
export function noteOperator(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { person, ip } = request
  if (person) actAs({ kind: 'operator', id: person.userId, name: person.name, ip }, done)
  else done()
}
