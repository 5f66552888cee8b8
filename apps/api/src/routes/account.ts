import { Account, UpdateAccount } from '@probity/contract/account'
import { EMAILS_PER_REQUEST_MAX } from '@probity/contract/bulk-validation'
import { type AccountChange, getAccount, updateAccount } from '@probity/database/accounts'
import { type Db, inTenant, type Trx } from '@probity/database/connect'
import { arePartitionsReady, makePartitions } from '@probity/database/partitions'
import { findDelayReason, getProbing } from '@probity/database/probing'
import { openGatherer } from '@probity/queue/gather'
import { refuseTestKey, refuseWithout } from '../door/authenticate.ts'
import type { Caller } from '../door/caller.ts'
import { BODY_PROBLEMS, DOOR_PROBLEMS, operation } from '../openapi.ts'
import { Problem } from '../problem.ts'
import type { Route } from '../route.ts'
import { storable } from '../validation/storable.ts'

const TOGETHER_MAX = 1_000

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
  // Who asks while it is read for others waits for the next reading, so that all see what was there when they came, and many cost little more than one.
  const findTogether = openGatherer<undefined, Found>(TOGETHER_MAX, async (accountId, all) => {
    const found = await inTenant(db, accountId, (trx) => findOwn(trx, accountId))
    return all.map(() => found)
  })
  app.get('/account', { schema: show, config: { scope: 'account' } }, async ({ caller }, reply) => {
    const found = await findTogether(caller.accountId, undefined)
    reply.header('credits-remaining', found.account.available)
    return presentAccount(found, caller)
  })

  const change = operation(
    {
      id: 'updateAccount',
      tag: 'Account',
      summary: 'Change the settings of the account',
      description:
        'Changes only what the body names. When credits count as low needs a key with the `webhooks` scope: webhooks are told `credits.low` once each time the balance falls below it. Name, retention and what is safe to send to need a live key with the scopes `account` and `settings`.',
      problems: ['invalid_request', ...BODY_PROBLEMS, ...DOOR_PROBLEMS],
    },
    { body: UpdateAccount, response: { 200: Account } },
  )
  app.patch('/account', { schema: change }, async ({ caller, body }) => {
    refuseForeignSettings(caller, body)
    return presentAccount(await changeAccount(db, caller, readChange(body)), caller)
  })
}

/** Each setting has a scope of its own. A test key, which may be in many hands, does not set for how long live results are kept. */
function refuseForeignSettings(caller: Caller, { credits_low_at, ...settings }: UpdateAccount): void {
  if (credits_low_at !== undefined) refuseWithout(caller, 'webhooks')
  if (Object.values(settings).every((value) => value === undefined)) return
  for (const scope of ['account', 'settings'] as const) refuseWithout(caller, scope)
  refuseTestKey(caller)
}

function readChange({ name, retention_days, credits_low_at, sending }: UpdateAccount): AccountChange {
  return {
    ...(name !== undefined && { name: storable(name) }),
    ...(retention_days !== undefined && { retentionDays: retention_days }),
    ...(credits_low_at !== undefined && { lowCredits: credits_low_at }),
    ...(sending?.threshold !== undefined && { sendThreshold: sending.threshold }),
    ...(sending?.excludes !== undefined && { sendExcludes: sending.excludes }),
  }
}

const PARTITIONS_RETRY_S = 2

async function changeAccount(db: Db, { accountId }: Caller, change: AccountChange): Promise<Found> {
  const { retentionDays } = change
  if (retentionDays !== undefined) await refuseLongRetention(db, accountId, retentionDays)
  // The partitions first: from the moment it keeps longer the account's rows need one that far ahead.
  if (retentionDays !== undefined) await makePartitions(db, retentionDays)
  return inTenant(db, accountId, async (trx) => {
    const isReady = retentionDays === undefined || (await arePartitionsReady(trx, retentionDays))
    // Another process is making partitions at the moment, and does not know of ours.
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
  throw new Problem('invalid_request', undefined, { errors: [{ pointer: '/retention_days', detail }] })
}

type Found = Awaited<ReturnType<typeof findOwn>>

/** The tenant's account, whether mail servers can be reached for it, and whether validation is delayed. */
async function findOwn(trx: Trx, accountId: string) {
  const { account, plan, lowAt } = await getAccount(trx, accountId)
  return { account, plan, lowAt, probing: await getProbing(trx), delayReason: await findDelayReason(trx) }
}

function presentAccount({ account, plan, lowAt, probing, delayReason }: Found, caller: Caller): Account {
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
      retention_days_max: plan.retentionDaysMax,
    },
    sending: { threshold: account.sendThreshold, excludes: account.sendExcludes },
    probing,
    delay_reason: delayReason,
    retention_days: account.retentionDays,
    ...(caller.id !== null && {
      key: { id: caller.id, name: caller.name, mode: caller.mode, scopes: caller.scopes },
    }),
  }
}
