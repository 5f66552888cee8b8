import { createBatcher } from '@probity/concurrency/scheduling'
import { EMAILS_PER_REQUEST_MAX } from '@probity/contract/constants/limits'
import { Account, UpdateAccount } from '@probity/contract/schemas/accounts'
import { type AccountChange, getAccount, updateAccount } from '@probity/database/accounts/accounts'
import { type Db, inTenant, type Trx } from '@probity/database/connection/connect'
import { arePartitionsReady, makePartitions } from '@probity/database/system/retention'
import { findDelayReason, getProbing } from '@probity/database/validations/probing'
import Type from 'typebox'
import { BODY_PROBLEMS, MIDDLEWARE_PROBLEMS, operation } from '../http/openapi.ts'
import { invalidField, Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { storable } from '../http/text.ts'
import type { Auth } from '../middleware/authentication/auth.ts'
import { refuseTestKey, refuseWithout } from '../middleware/authentication/authenticate.ts'

const TOGETHER_MAX = 1_000

/** The client's own account: plan, credits and limits. */
export const showAccount: Route<{ db: Db }> = async (app, { db }) => {
  const show = operation(
    {
      id: 'getAccount',
      tag: 'Account',
      summary: 'Get plan, credits and limits',
      description: 'The account of the calling key.',
      problems: MIDDLEWARE_PROBLEMS,
      sends: ['Credits-Remaining'],
    },
    { response: { 200: Account } },
  )
  // A request that arrives during a read waits for the next one, so that it sees current data, and concurrent requests share a query.
  const findTogether = createBatcher<undefined, Found>(TOGETHER_MAX, async (accountId, all) => {
    const found = await inTenant(db, accountId, (trx) => findOwn(trx, accountId))
    return all.map(() => found)
  })
  app.get('/account', { schema: show, config: { scope: 'account:read' } }, async ({ auth }, reply) => {
    const found = await findTogether(auth.accountId, undefined)
    reply.header('credits-remaining', found.account.available)
    return presentAccount(found, auth)
  })

  const change = operation(
    {
      id: 'updateAccount',
      tag: 'Account',
      summary: 'Change the settings of the account',
      description:
        'Changes only the settings in the body. Needs a live key with the scope `account:write`. To change `credits` alone, a key of either mode with `account:write` or `webhooks:write` is sufficient, because the threshold controls the event `credits.low`. A key without `account:read` gets a response without a body.',
      problems: ['invalid_request', 'live_key_required', ...BODY_PROBLEMS, ...MIDDLEWARE_PROBLEMS],
    },
    {
      body: UpdateAccount,
      response: {
        200: Account,
        204: Type.Null({ description: 'The change was made by a key without `account:read`.' }),
      },
    },
  )
  app.patch('/account', { schema: change }, async ({ auth, body }, reply) => {
    refuseForeignSettings(auth, body)
    const found = await changeAccount(db, auth, readChange(body))
    return auth.scopes.includes('account:read') ? presentAccount(found, auth) : reply.code(204).send(null)
  })
}

/** The low-credit threshold is a setting of webhooks too. A test key, which may be widely shared, must not change how live results are stored. */
function refuseForeignSettings(auth: Auth, { credits, ...settings }: UpdateAccount): void {
  const changesAccount = Object.values(settings).some((value) => value !== undefined)
  if (changesAccount || !auth.scopes.includes('webhooks:write')) refuseWithout(auth, 'account:write')
  if (changesAccount) refuseTestKey(auth)
}

function readChange({ name, retention_days, credits, sending }: UpdateAccount): AccountChange {
  return {
    ...(name !== undefined && { name: storable(name) }),
    ...(retention_days !== undefined && { retentionDays: retention_days }),
    ...(credits !== undefined && { lowCredits: credits.low_at }),
    ...(sending?.threshold !== undefined && { sendThreshold: sending.threshold }),
    ...(sending?.excluded_traits !== undefined && { excludedTraits: sending.excluded_traits }),
  }
}

const PARTITIONS_RETRY_S = 2

async function changeAccount(db: Db, { accountId }: Auth, change: AccountChange): Promise<Found> {
  const { retentionDays } = change
  if (retentionDays !== undefined) await refuseLongRetention(db, accountId, retentionDays)
  // The partitions first: with the longer retention, new rows need a partition that far ahead.
  if (retentionDays !== undefined) await makePartitions(db, retentionDays)
  return inTenant(db, accountId, async (trx) => {
    const isReady = retentionDays === undefined || (await arePartitionsReady(trx, retentionDays))
    // Another process is creating partitions for a shorter retention at the moment.
    if (!isReady) throw new Problem('overloaded', undefined, { retryAfterS: PARTITIONS_RETRY_S })
    await updateAccount(trx, accountId, change)
    return findOwn(trx, accountId)
  })
}

/** One account with a long retention makes partitions for all accounts, so the plan limits it. Operators can set a longer one. */
async function refuseLongRetention(db: Db, accountId: string, days: number): Promise<void> {
  const { account, plan } = await inTenant(db, accountId, (trx) => getAccount(trx, accountId))
  if (days <= Math.max(plan.retentionDaysMax, account.retentionDays)) return
  const detail = `must be at most ${plan.retentionDaysMax} on the plan ${plan.name}`
  throw invalidField('/retention_days', detail)
}

type Found = Awaited<ReturnType<typeof findOwn>>

/** The tenant's account, whether mail servers can be reached for it, and whether validation is delayed. */
async function findOwn(trx: Trx, accountId: string) {
  const { account, plan, lowAt } = await getAccount(trx, accountId)
  return { account, plan, lowAt, probing: await getProbing(trx), delayReason: await findDelayReason(trx) }
}

function presentAccount({ account, plan, lowAt, probing, delayReason }: Found, auth: Auth): Account {
  return {
    id: account.id,
    name: account.name,
    livemode: auth.mode === 'live',
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
      used: account.spent,
      unlimited: account.unlimited,
      low_at: lowAt,
    },
    limits: {
      requests_per_window: plan.requestsPerWindow,
      window_s: plan.windowS,
      emails_per_request: EMAILS_PER_REQUEST_MAX,
      emails_per_file: plan.emailsPerFile,
      interactive_in_flight: plan.interactiveInFlight,
      retention_days_max: plan.retentionDaysMax,
    },
    sending: { threshold: account.sendThreshold, excluded_traits: account.excludedTraits },
    probing,
    delay_reason: delayReason,
    retention_days: account.retentionDays,
    ...(auth.id !== null && {
      key: { id: auth.id, name: auth.name, livemode: auth.mode === 'live', scopes: auth.scopes },
    }),
  }
}
