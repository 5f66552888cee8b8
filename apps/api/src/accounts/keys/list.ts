import { KeyList, KeyPage } from '@probity/contract/schemas/keys'
import { listKeys as listKeysOf } from '@probity/database/accounts/keys'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { DOOR_PROBLEMS, operation } from '../../http/openapi.ts'
import { readPage, sendPageHeaders } from '../../http/page.ts'
import type { Route } from '../../http/route.ts'
import { presentKey, viewOf } from './present.ts'

/** The account's keys, newest first. */
export const listKeys: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'listApiKeys',
      tag: 'API keys',
      summary: 'List API keys',
      description:
        'Live keys see all keys of the account, test keys only test keys. The total is in `X-Total-Count`, the adjacent pages are in `Link`.',
      problems: ['invalid_request', ...DOOR_PROBLEMS],
    },
    { querystring: KeyPage, response: { 200: KeyList } },
  )
  app.get('/keys', { schema, config: { scope: 'keys:read' } }, async (request, reply) => {
    const { auth } = request
    const page = readPage(request.query)
    const { keys, total } = await inTenant(db, auth.accountId, (trx) => listKeysOf(trx, viewOf(auth), page))
    sendPageHeaders(reply, page, total)
    return keys.map(presentKey)
  })
}
