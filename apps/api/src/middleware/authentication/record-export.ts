import { recordExport } from '@probity/database/accounts/accounts'
import { actAs } from '@probity/database/connection/actor'
import { type Db, inTenant } from '@probity/database/connection/connect'
import type { FastifyRequest } from 'fastify'
import { actorOf } from './actor.ts'

/** Records in the audit log that data of the client's account leaves as a file. Not for test mode, whose data is invented. */
export async function noteExport(
  { db }: { db: Db },
  request: FastifyRequest,
  exported: Parameters<typeof recordExport>[1],
): Promise<void> {
  const { accountId, mode } = request.auth
  if (mode === 'test') return
  await actAs(actorOf(request), () => inTenant(db, accountId, (trx) => recordExport(trx, exported)))
}
