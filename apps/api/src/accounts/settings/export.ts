import { ExportRequest } from '@probity/contract/schemas/accounts'
import type { Db } from '@probity/database/connection/connect'
import { exportAccount } from '@probity/database/system/account-export'
import type { Admission } from '@probity/redis/admission'
import type { FastifyBaseLogger } from 'fastify'
import { EXPORT_LIMITS, openExports } from '../../http/exports/send-export.ts'
import type { Route } from '../../http/route.ts'
import { askPassword } from '../../middleware/authentication/confirm-password.ts'
import { noteExport } from '../../middleware/authentication/record-export.ts'
import type { UserAuthentication } from '../../middleware/authentication/session.ts'
import { refuseNonOwner } from './owner.ts'

type ExportDependencies = {
  db: Db
  admission: Admission
  people: UserAuthentication
  log: FastifyBaseLogger
}

/** Each holds a database connection and a snapshot while it is read. Two accounts leave room for a third. */
const LIMITS = { ...EXPORT_LIMITS, atOnceMax: 3, perAccountMax: 1 }

/** Exports all data of an account as one file. */
export const exportOrganisation: Route<ExportDependencies> = async (app, services) => {
  const sendExport = openExports(LIMITS)
  const options = { schema: { body: ExportRequest }, config: { scope: 'account:write' } } as const
  app.post('/export', options, async (request, reply) => {
    const { accountId } = request.auth
    refuseNonOwner(request)
    await askPassword(services, request, request.body.password)
    services.log.info({ accountId, personId: request.person?.userId }, 'account data exported')
    await noteExport(services, request, { what: 'account' })
    return sendExport(reply, accountId, {
      type: 'application/x-ndjson',
      disposition: 'attachment; filename="probity-export.ndjson"',
      chunks: exportAccount(services.db, accountId),
    })
  })
}
