import { Account, UpdateAccount } from '@probity/contract/account'
import { EMAILS_PER_REQUEST_MAX } from '@probity/contract/validation'
import { getAccount, updateLowCredits } from '@probity/database/accounts'
import { inTenant } from '@probity/database/connect'
import type { DoorKey } from '@probity/database/keys'
import { BODY_PROBLEMS, DOOR_PROBLEMS, operation } from '../openapi.ts'
import type { Route } from '../route.ts'

/** The caller's own account: plan, credits and limits. */
export const showAccount: Route = async (app, { db }) => {
  const show = operation(
    {
      id: 'getAccount',
      tag: 'Account',
      summary: 'Show plan, credits and limits',
      description: 'The account that the calling key belongs to.',
      problems: DOOR_PROBLEMS,
    },
    { response: { 200: Account } },
  )
  app.get('/account', { schema: show, config: { scope: 'account' } }, async ({ caller }, reply) => {
    const found = await inTenant(db, caller.accountId, (trx) => getAccount(trx, caller.accountId))
    reply.header('credits-remaining', found.account.available)
    return presentAccount(found, caller)
  })

  const change = operation(
    {
      id: 'updateAccount',
      tag: 'Account',
      summary: 'Set when credits count as low',
      description:
        'Webhooks are told `credits.low` once each time the balance falls below it. Needs a key with the `webhooks` scope.',
      problems: ['invalid_request', ...BODY_PROBLEMS, ...DOOR_PROBLEMS],
    },
    { body: UpdateAccount, response: { 200: Account } },
  )
  app.patch('/account', { schema: change, config: { scope: 'webhooks' } }, async ({ caller, body }) => {
    const found = await inTenant(db, caller.accountId, async (trx) => {
      await updateLowCredits(trx, caller.accountId, body.credits_low_at)
      return getAccount(trx, caller.accountId)
    })
    return presentAccount(found, caller)
  })
}

type Found = Awaited<ReturnType<typeof getAccount>>

function presentAccount({ account, plan, lowAt }: Found, caller: DoorKey): Account {
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
      low_at: lowAt,
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
}
