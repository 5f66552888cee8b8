import { type Actor, actAs } from '@probity/database/actor'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Tells the audit log who is at work. Comes when the caller is known and the body read, and as a callback: what runs inside is all that
 * follows. Whoever only reads is not asked for.
 */
export function noteActor(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  if (request.method === 'GET' || request.method === 'HEAD') done()
  else actAs(actorOf(request), done)
}

function actorOf({ caller, person, ip }: FastifyRequest): Actor {
  if (person) {
    const { userId: id, name } = person
    return { kind: 'member', id, name, ip, ...(caller && { account: caller.accountId }) }
  }
  if (caller?.id) return { kind: 'key', id: caller.id, name: caller.name, ip, account: caller.accountId }
  return { kind: 'nobody', ip }
}

/** The same for those who run the installation, whose word goes for every account. */
export function noteOperator(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { person, ip } = request
  if (person) actAs({ kind: 'operator', id: person.userId, name: person.name, ip }, done)
  else done()
}
