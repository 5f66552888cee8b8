import { ListingPage, ListingQuery, ListingSheet } from '@probity/contract/listings'
import { inTenant } from '@probity/database/connect'
import { countListings, listListings as listListingsOf } from '@probity/database/listings'
import { presentListing, writeListings } from '../../listings/present.ts'
import { DOOR_PROBLEMS, operation } from '../../openapi.ts'
import { keepFilter, readPage, sendPageHeaders } from '../../page.ts'
import type { Route } from '../../route.ts'
import { storable } from '../../validation/storable.ts'

/** What stands on the account's own lists. */
export const listListings: Route = async (app, { db }) => {
  const schema = operation(
    {
      id: 'listListings',
      tag: 'Own lists',
      summary: 'List what is allowed and blocked',
      description:
        'The addresses and domains on the lists of the account, in the order of their text. The total stands in `X-Total-Count`, the neighbouring pages in `Link`.',
      problems: ['invalid_request', ...DOOR_PROBLEMS],
    },
    { querystring: ListingQuery, response: { 200: ANSWERS } },
  )
  const options = { schema, config: { scope: 'account' }, exposeHeadRoute: false } as const
  app.get('/listings', options, async ({ caller: { accountId }, query }, reply) => {
    const { list, search } = query
    const filter = { list, search: search && storable(search) }
    if (query.format === 'csv') {
      const all = await inTenant(db, accountId, (trx) => listListingsOf(trx, accountId, filter))
      reply.headers({ 'content-type': 'text/csv; charset=utf-8', 'content-disposition': DISPOSITION })
      return reply.send(writeListings(all))
    }
    const page = readPage(query)
    const { rows, total } = await inTenant(db, accountId, async (trx) => ({
      rows: await listListingsOf(trx, accountId, { ...filter, ...page }),
      total: await countListings(trx, accountId, filter),
    }))
    sendPageHeaders(reply, page, total)
    keepFilter(reply, { ...(list && { list }), ...(search && { search }) })
    return rows.map(presentListing)
  })
}

const ANSWERS = {
  description: 'The entries, in the format that was asked for.',
  content: { 'application/json': { schema: ListingPage }, 'text/csv': { schema: ListingSheet } },
}

const DISPOSITION = 'attachment; filename="allow-and-block.csv"'
