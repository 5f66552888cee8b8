import { recordExport } from '@probity/database/accounts/accounts'
import type { AuthKey } from '@probity/database/accounts/keys'
import { type Actor, actAs } from '@probity/database/connection/actor'
import { type Db, inTenant } from '@probity/database/connection/connect'
import type { View } from '@probity/database/connection/scope'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The client of a request: a key, or a signed-in user of the web application, who has no key id. */
export type Auth = Omit<AuthKey, 'id'> & { id: string | null }

/** Live keys see the lists and webhooks of live keys, test keys those of test keys. */
export function viewOf({ accountId, mode }: Auth): View {
  return { accountId, mode }
}

/**
 * Names the actor for the audit log. Runs when the client is known and the body read. A callback, so that the rest of the request runs
 * inside
 * the actor's context. Requests that only read have no actor; those that export data set it themselves (record-export.ts).
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
  return { kind: 'unauthenticated', ip }
}

/** Like noteActor, for operators, whose changes can concern any account. */
export function noteOperator(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { person, ip } = request
  if (person) actAs({ kind: 'operator', id: person.userId, name: person.name, ip }, done)
  else done()
}

/** Records in the audit log that data of the client's account was exported as a file. Not in test mode, whose data is synthetic. */
export async function noteExport(
  { db }: { db: Db },
  request: FastifyRequest,
  exported: Parameters<typeof recordExport>[1],
): Promise<void> {
  const { accountId, mode } = request.auth
  if (mode === 'test') return
  await actAs(actorOf(request), () => inTenant(db, accountId, (trx) => recordExport(trx, exported)))
}
