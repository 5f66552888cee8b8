import { LedgerPage, LedgerQuery, LedgerSheet } from '@probity/contract/schemas/billing'
import { countLedger, type LedgerFilter, listLedger } from '@probity/database/billing/ledger'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { EXPORT_LIMITS, openExports } from '../http/exports/send-export.ts'
import { DOOR_PROBLEMS, operation } from '../http/openapi.ts'
import { keepFilter, readPage, sendPageHeaders } from '../http/page.ts'
import type { Route } from '../http/route.ts'
import { noteExport } from '../middleware/authentication/record-export.ts'
import { presentEntry } from './present-entry.ts'
import { writeLedger } from './write-ledger.ts'

/** Every movement of the account's credits, as pages or as a whole file. */
export const showLedger: Route<{ db: Db }> = async (app, services) => {
  const { db } = services
  const schema = operation(
    {
      id: 'listLedgerEntries',
      tag: 'Account',
      summary: 'List credit transactions',
      description:
        'All credit transactions of the account, newest first. Test mode has none, because nothing is charged. The total is in `X-Total-Count`, the adjacent pages are in `Link`. `csv` is streamed; a response that is interrupted is incomplete.',
      problems: ['invalid_request', ...DOOR_PROBLEMS],
    },
    { querystring: LedgerQuery, response: { 200: ANSWERS } },
  )
  const sendExport = openExports(EXPORT_LIMITS)
  const options = { schema, config: { scope: 'account:read' }, exposeHeadRoute: false } as const
  app.get('/ledger', options, async (request, reply) => {
    const { auth, query } = request
    const { accountId, mode } = auth
    // No row is of a test key. An empty list of kinds keeps none.
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
