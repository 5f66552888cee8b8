import { type LedgerEntry, LedgerPage, LedgerQuery, LedgerSheet } from '@probity/contract/schemas/billing'
import {
  countLedger,
  cursorAfter,
  type LedgerCursor,
  type LedgerFilter,
  type LedgerRow,
  listLedger,
} from '@probity/database/billing/ledger'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { stringify } from 'csv-stringify/sync'
import { defuseCell } from '../http/exports/defuse-cell.ts'
import { EXPORT_LIMITS, openExports } from '../http/exports/send-export.ts'
import { MIDDLEWARE_PROBLEMS, operation } from '../http/openapi.ts'
import { keepFilter, readPage, sendPageHeaders } from '../http/page.ts'
import type { Route } from '../http/route.ts'
import { noteExport } from '../middleware/authentication/auth.ts'

/** A transaction as in responses. */
export function presentEntry(row: LedgerRow): LedgerEntry {
  return {
    // Not the row number, which counts the transactions of all accounts.
    id: `${row.kind}_${row.subject}_${row.part}`,
    occurred_at: row.at.toISOString(),
    kind: row.kind,
    credits: row.credits,
    available_change: row.availableChange,
    available_after: row.availableAfter,
    subject: row.subjectKind,
    job_id: row.subjectKind === 'job' ? row.subject : null,
    filename: row.filename,
    validation_id: row.subjectKind === 'validation' ? row.subject : null,
    key_id: row.keyId,
    key_name: row.keyName,
    note: row.note,
  }
}

const PAGE_ROWS = 500

const COLUMNS = [
  'id',
  'occurred_at',
  'kind',
  'credits',
  'available_change',
  'available_after',
  'subject',
  'job_id',
  'filename',
  'validation_id',
  'key_id',
  'key_name',
  'note',
] as const satisfies (keyof LedgerEntry)[]

/**
 * All matching entries as CSV, newest first, page by page; the next page is read when the previous one was written. Entries written
 * meanwhile are newer than the first row and not included.
 */
export async function* writeLedger(db: Db, accountId: string, filter: LedgerFilter): AsyncGenerator<string> {
  yield writeRows([[...COLUMNS]])
  let before: LedgerCursor | undefined
  for (;;) {
    const reading = { ...filter, before, limit: PAGE_ROWS }
    const rows = await inTenant(db, accountId, (trx) => listLedger(trx, accountId, reading))
    const last = rows.at(-1)
    if (last !== undefined) yield writeRows(rows.map((row) => cellsOf(presentEntry(row))))
    if (last === undefined || rows.length < PAGE_ROWS) return
    before = cursorAfter(last)
  }
}

/** Numbers are never formulas, even with a minus sign; as text they could not be summed. */
function cellsOf(entry: LedgerEntry): string[] {
  return COLUMNS.map((column) => {
    const value = entry[column]
    return typeof value === 'number' ? String(value) : defuseCell(value ?? '')
  })
}

function writeRows(rows: string[][]): string {
  return stringify(rows, { quoted: true, quoted_empty: true, record_delimiter: 'windows' })
}

/** All transactions of the account, as pages or as one file. */
export const showLedger: Route<{ db: Db }> = async (app, services) => {
  const { db } = services
  const schema = operation(
    {
      id: 'listLedgerEntries',
      tag: 'Account',
      summary: 'List credit transactions',
      description:
        'All credit transactions of the account, newest first. Test mode has none, because nothing is charged. The total is in `X-Total-Count`, the adjacent pages are in `Link`. `csv` is streamed; a response that is interrupted is incomplete.',
      problems: ['invalid_request', ...MIDDLEWARE_PROBLEMS],
    },
    { querystring: LedgerQuery, response: { 200: ANSWERS } },
  )
  const sendExport = openExports(EXPORT_LIMITS)
  const options = { schema, config: { scope: 'account:read' }, exposeHeadRoute: false } as const
  app.get('/ledger', options, async (request, reply) => {
    const { auth, query } = request
    const { accountId, mode } = auth
    // Test keys have no ledger rows. An empty list of kinds matches none.
    const filter = mode === 'test' ? { kinds: [] } : readFilter(query)
    if (query.format === 'csv') {
      await noteExport(services, request, { what: 'ledger' })
      return sendExport(reply, accountId, { ...SHEET, chunks: writeLedger(db, accountId, filter) })
    }
    const page = readPage(query)
    const { rows, total } = await inTenant(db, accountId, async (trx) => ({
      rows: await listLedger(trx, accountId, { ...filter, ...page }),
      total: await countLedger(trx, accountId, filter),
    }))
    sendPageHeaders(reply, page, total)
    keepFilter(reply, repeatFilter(query))
    return rows.map(presentEntry)
  })
}

const ANSWERS = {
  description: 'The transactions, in the requested format.',
  content: { 'application/json': { schema: LedgerPage }, 'text/csv': { schema: LedgerSheet } },
}

const SHEET = { type: 'text/csv; charset=utf-8', disposition: 'attachment; filename="ledger.csv"' }

function readFilter({ kind, from, to, key_id }: LedgerQuery): LedgerFilter {
  return { kinds: kind?.split(','), from, to, keyId: key_id === 'none' ? null : key_id }
}

function repeatFilter({ kind, from, to, key_id }: LedgerQuery): Record<string, string> {
  return { ...(kind && { kind }), ...(from && { from }), ...(to && { to }), ...(key_id && { key_id }) }
}
