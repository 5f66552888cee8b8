import { DAYS_MAX, USAGE_KEYS_MAX } from '@probity/contract/constants/limits'
import { Usage, UsageQuery } from '@probity/contract/schemas/usage'
import { type Amounts, type Days, listUsageByDay, listUsageByKey, sumUsage } from '@probity/database/accounts/usage'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { MIDDLEWARE_PROBLEMS, operation } from '../http/openapi.ts'
import { Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { viewOf } from '../middleware/authentication/auth.ts'

const DAYS_DEFAULT = 30
const DAY_MS = 86_400_000

/** The requested days; by default thirty days up to today. */
export function readDays({ from, to }: { from?: string; to?: string }, now = new Date()): Days {
  const last = to ?? dayOf(now.getTime())
  const first = from ?? dayOf(Date.parse(last) - (DAYS_DEFAULT - 1) * DAY_MS)
  const days = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1
  if (days < 1) throw fault('`from` must not be a later day than `to`.')
  if (days > DAYS_MAX) throw fault(`A period has at most ${DAYS_MAX} days.`)
  return { from: first, to: last }
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

function fault(detail: string): Problem {
  return new Problem('invalid_request', detail, { errors: [{ pointer: '/from', detail }] })
}

/** Requests and credits, by day or by key. */
export const showUsage: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'getUsage',
      tag: 'Account',
      summary: 'Get usage by day or key',
      description:
        'Requests, credits used and credits refunded. Live keys see live mode, including usage in the web app; test keys see test mode. Requests of the last seconds may not be counted yet; credits always are.',
      problems: ['invalid_request', ...MIDDLEWARE_PROBLEMS],
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
