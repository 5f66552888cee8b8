import { OperatorAuditQuery } from '@probity/contract/schemas/operators'
import { asOperator, type Db } from '@probity/database/connection/connect'
import { countAllAuditEntries, listAllAuditEntries } from '@probity/database/operators/audit-log'
import { EXPORT_LIMITS, openExports } from '../http/exports/send-export.ts'
import { readPage } from '../http/page.ts'
import type { Route } from '../http/route.ts'
import { AUDIT_ANSWERS } from './audit-log.ts'
import { presentAuditEntry } from './present-audit-entry.ts'
import { AUDIT_SHEET, writeAuditLog } from './write-audit-log.ts'

/** Who did what, in all accounts and to the installation. */
export const showWholeAuditLog: Route<{ db: Db }> = async (app, { db }) => {
  const sendExport = openExports(EXPORT_LIMITS)
  const schema = { querystring: OperatorAuditQuery, response: { 200: AUDIT_ANSWERS } }
  app.get('/audit-log', { schema, exposeHeadRoute: false }, async ({ person, query }, reply) => {
    const { format, skip: _skip, limit: _limit, account, ...rest } = query
    const isInstallation = account === 'installation'
    const filter = { ...rest, isInstallation, accountId: isInstallation ? undefined : account }
    if (format === 'csv') {
      const read = (before: number | undefined, rows: number) =>
        asOperator(db, async (trx) => {
          const entries = await listAllAuditEntries(trx, { ...filter, before, skip: 0, limit: rows })
          return entries.map(presentAuditEntry)
        })
      return sendExport(reply, person?.userId ?? '', { ...AUDIT_SHEET, chunks: writeAuditLog(read) })
    }
    const page = readPage(query)
    return asOperator(db, async (trx) => ({
      entries: (await listAllAuditEntries(trx, { ...filter, ...page })).map(presentAuditEntry),
      total: await countAllAuditEntries(trx, filter),
    }))
  })
}
