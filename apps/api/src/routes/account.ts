import { Account } from '@probity/contract/account'
import { EMAILS_PER_REQUEST_MAX } from '@probity/contract/validation'
import { getAccount } from '@probity/database/accounts'
import { inTenant } from '@probity/database/connect'
import { DOOR_PROBLEMS, operation } from '../openapi.ts'
import type { Route } from '../route.ts'

/** The caller's own account: plan, credits and limits. */
export const showAccount: Route = async (app, { db }) => {
  const schema = operation(
    {
      id: 'getAccount',
      tag: 'Account',
      summary: 'Show plan, credits and limits',
      description: 'The account that the calling key belongs to.',
      problems: DOOR_PROBLEMS,
    },
    { response: { 200: Account } },
  )
  app.get('/account', { schema, config: { scope: 'account' } }, async (request, reply) => {
    const { caller } = request
    const { account, plan } = await inTenant(db, caller.accountId, (trx) => getAccount(trx, caller.accountId))
    reply.header('credits-remaining', account.available)
    return {
      id: account.id,
      name: account.name,
      livemode: caller.mode === 'live',
      plan: {
        name: plan.name,
        api_access: plan.apiAccess,
        ai_enhancement: plan.aiEnhancement,
        catchall_detection: plan.catchallDetection,
        refund_unknown: plan.refundUnknown,
      },
      credits: {
        available: account.available,
        reserved: account.reserved,
        spent: account.spent,
        unlimited: account.unlimited,
      },
      limits: {
        requests_per_window: plan.requestsPerWindow,
        window_s: plan.windowS,
        emails_per_request: EMAILS_PER_REQUEST_MAX,
        emails_per_file: plan.emailsPerFile,
        interactive_in_flight: plan.interactiveInFlight,
      },
      retention_days: account.retentionDays,
      key: { id: caller.id, name: caller.name, mode: caller.mode, scopes: caller.scopes },
    }
  })
}
