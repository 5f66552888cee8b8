import { type AuditEntry, AuditLog, AuditQuery, OperatorAuditQuery } from '@probity/contract/schemas/operators'
import { asOperator, type Db, inTenant } from '@probity/database/connection/connect'
import {
  countAllAuditEntries,
  countAuditEntries,
  listAllAuditEntries,
  listAuditEntries,
  type AuditEntry as Row,
} from '@probity/database/operators/audit-log'
import { stringify } from 'csv-stringify/sync'
import { defuseCell } from '../http/exports/defuse-cell.ts'
import { EXPORT_LIMITS, openExports } from '../http/exports/send-export.ts'
import { readPage } from '../http/page.ts'
import type { Route } from '../http/route.ts'
import { noteExport } from '../middleware/authentication/auth.ts'

export function presentAuditEntry(row: Row): AuditEntry {
  return {
    id: row.id,
    at: row.at.toISOString(),
    account_id: row.accountId,
    ...(row.accountName !== undefined && { account_name: row.accountName }),
    actor: row.actor,
    actor_id: row.actorId,
    actor_name: row.actorName,
    ip: row.ip,
    action: row.action,
    subject_id: row.subjectId,
    subject_name: row.subjectName,
    changes: row.changes,
  }
}

const PAGE_ROWS = 500

export const AUDIT_SHEET = {
  type: 'text/csv; charset=utf-8',
  disposition: 'attachment; filename="audit-log.csv"',
}

const COLUMNS = [
  'id',
  'at',
  'account_id',
  'actor',
  'actor_id',
  'actor_name',
  'ip',
  'action',
  'subject_id',
  'subject_name',
  'changes',
] as const satisfies (keyof AuditEntry)[]

/** Reads a page of the entries that match a filter: the newest, or those older than the entry with this id. */
type ReadPage = (before: number | undefined, limit: number) => Promise<AuditEntry[]>

/** All entries as CSV, newest first, page by page. Entries written during the export are not included. */
export async function* writeAuditLog(read: ReadPage): AsyncGenerator<string> {
  yield writeRows([[...COLUMNS]])
  let before: number | undefined
  for (;;) {
    const entries = await read(before, PAGE_ROWS)
    if (entries.length > 0) yield writeRows(entries.map(cellsOf))
    if (entries.length < PAGE_ROWS) return
    before = entries.at(-1)?.id
  }
}

function cellsOf(entry: AuditEntry): string[] {
  return COLUMNS.map((column) => {
    const value = entry[column]
    if (typeof value === 'number') return String(value)
    return defuseCell(typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? ''))
  })
}

function writeRows(rows: string[][]): string {
  return stringify(rows, { quoted: true, quoted_empty: true, record_delimiter: 'windows' })
}

/** The audit log of the account. A write scope, although the route only reads: only owners and admins can see the log. */
export const showAuditLog: Route<{ db: Db }> = async (app, services) => {
  const { db } = services
  const sendExport = openExports(EXPORT_LIMITS)
  const schema = { querystring: AuditQuery, response: { 200: LOG_RESPONSES } }
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

export const LOG_RESPONSES = {
  content: { 'application/json': { schema: AuditLog }, 'text/csv': { schema: { type: 'string' } } },
} as const

/** Audit log of all accounts and of the installation. */
export const showWholeAuditLog: Route<{ db: Db }> = async (app, { db }) => {
  const sendExport = openExports(EXPORT_LIMITS)
  const schema = { querystring: OperatorAuditQuery, response: { 200: LOG_RESPONSES } }
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
