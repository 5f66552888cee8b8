import { OverridePage, OverrideQuery, OverrideSheet } from '@probity/contract/schemas/overrides'
import { countOverrides, listOverrides as listOverridesOf } from '@probity/database/accounts/overrides'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { DOOR_PROBLEMS, operation } from '../../http/openapi.ts'
import { keepFilter, readPage, sendPageHeaders } from '../../http/page.ts'
import type { Route } from '../../http/route.ts'
import { storable } from '../../http/storable.ts'
import { presentOverride, writeOverrides } from './present.ts'

/** The overrides of the account. */
export const listOverrides: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'listOverrides',
      tag: 'Overrides',
      summary: 'List overrides',
      description:
        'The addresses and domains that the account allows or blocks, sorted by `target`. The total is in `X-Total-Count`, the adjacent pages are in `Link`.',
      problems: ['invalid_request', ...DOOR_PROBLEMS],
    },
    { querystring: OverrideQuery, response: { 200: ANSWERS } },
  )
  const options = { schema, config: { scope: 'account:read' }, exposeHeadRoute: false } as const
  app.get('/overrides', options, async ({ auth: { accountId }, query }, reply) => {
    const { action, search } = query
    const filter = { action, search: search && storable(search) }
    if (query.format === 'csv') {
      const all = await inTenant(db, accountId, (trx) => listOverridesOf(trx, accountId, filter))
      reply.headers({ 'content-type': 'text/csv; charset=utf-8', 'content-disposition': DISPOSITION })
      return reply.send(writeOverrides(all))
    }
    const page = readPage(query)
    const { rows, total } = await inTenant(db, accountId, async (trx) => ({
      rows: await listOverridesOf(trx, accountId, { ...filter, ...page }),
      total: await countOverrides(trx, accountId, filter),
    }))
    sendPageHeaders(reply, page, total)
    keepFilter(reply, { ...(action && { action }), ...(search && { search }) })
    return rows.map(presentOverride)
  })
}

const ANSWERS = {
  description: 'The overrides, in the requested format.',
  content: { 'application/json': { schema: OverridePage }, 'text/csv': { schema: OverrideSheet } },
}

const DISPOSITION = 'attachment; filename="allow-and-block.csv"'
