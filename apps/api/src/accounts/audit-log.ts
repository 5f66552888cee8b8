import { AuditLog, AuditQuery } from '@probity/contract/schemas/operators'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { countAuditEntries, listAuditEntries } from '@probity/database/operators/audit-log'
import { EXPORT_LIMITS, openExports } from '../http/exports/send-export.ts'
import { readPage } from '../http/page.ts'
import type { Route } from '../http/route.ts'
import { noteExport } from '../middleware/authentication/record-export.ts'
import { presentAuditEntry } from './present-audit-entry.ts'
import { AUDIT_SHEET, writeAuditLog } from './write-audit-log.ts'

/** The audit log of the account. A write scope, although the route only reads: only owners and admins can see the log. */
export const showAuditLog: Route<{ db: Db }> = async (app, services) => {
  const { db } = services
  const sendExport = openExports(EXPORT_LIMITS)
  const schema = { querystring: AuditQuery, response: { 200: AUDIT_ANSWERS } }
  const options = { schema, config: { scope: 'account:write' }, exposeHeadRoute: false } as const
  app.get('/audit-log', options, async (request, reply) => {
    const { auth, query } = request
    const { accountId } = auth
    const { format, skip: _skip, limit: _limit, ...filter } = query
    if (format === 'csv') {
      const read = (before: number | undefined, rows: number) =>
        inTenant(db, accountId, async (trx) => {
          const entries = await listAuditEntries(trx, accountId, { ...filter, before, skip: 0, limit: rows })
          return entries.map(presentAuditEntry)
        })
      await noteExport(services, request, { what: 'audit_log' })
      return sendExport(reply, accountId, { ...AUDIT_SHEET, chunks: writeAuditLog(read) })
    }
    const page = readPage(query)
    return inTenant(db, accountId, async (trx) => ({
      entries: (await listAuditEntries(trx, accountId, { ...filter, ...page })).map(presentAuditEntry),
      total: await countAuditEntries(trx, accountId, filter),
    }))
  })
}

export const AUDIT_ANSWERS = {
  content: { 'application/json': { schema: AuditLog }, 'text/csv': { schema: { type: 'string' } } },
} as const
