import { USAGE_KEYS_MAX } from '@probity/contract/constants/limits'
import { Usage, UsageQuery } from '@probity/contract/schemas/usage'
import { type Amounts, listUsageByDay, listUsageByKey, sumUsage } from '@probity/database/accounts/usage'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { DOOR_PROBLEMS, operation } from '../http/openapi.ts'
import type { Route } from '../http/route.ts'
import { viewOf } from '../middleware/authentication/scope.ts'
import { readDays } from './usage-days.ts'

/** Requests and credits, by day or by key. */
export const showUsage: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'getUsage',
      tag: 'Account',
      summary: 'Get usage by day or key',
      description:
        'Requests, credits used and credits refunded. Live keys see live mode, including usage in the web app; test keys see test mode. Requests of the last seconds may not be counted yet; credits always are.',
      problems: ['invalid_request', ...DOOR_PROBLEMS],
    },
    { querystring: UsageQuery, response: { 200: Usage } },
  )
  app.get('/usage', { schema, config: { scope: 'account:read' } }, async ({ auth, query }) => {
    const days = readDays(query)
    const view = viewOf(auth)
    return inTenant(db, auth.accountId, async (trx): Promise<Usage> => {
      const total = presentAmounts(await sumUsage(trx, view, days))
      const shown = { from_on: days.from, to_on: days.to, livemode: auth.mode === 'live', total }
      if (query.by === 'key') {
        const keys = await listUsageByKey(trx, view, { ...days, limit: USAGE_KEYS_MAX })
        return {
          ...shown,
          keys: keys.map((key) => ({ key_id: key.keyId, key_name: key.keyName, ...presentAmounts(key) })),
        }
      }
      const byDay = await listUsageByDay(trx, view, days)
      return { ...shown, days: byDay.map((day) => ({ occurred_on: day.day, ...presentAmounts(day) })) }
    })
  })
}

function presentAmounts({ requests, used, refunded }: Amounts) {
  return { requests, credits_used: used, credits_refunded: refunded }
}
