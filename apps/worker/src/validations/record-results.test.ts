import { pendingResult, type StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { updateAccount } from '@probity/database/accounts/accounts'
import { inTenant } from '@probity/database/connection/connect'
import { openTestAccount } from '@probity/database/connection/test-database'
import { getSecret } from '@probity/database/system/processes'
import { claimValidations } from '@probity/database/validations/queue'
import { whenDone } from '@probity/lab/when-done'
import { recentKey } from '@probity/redis/keys'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { openServices } from '../server/services.ts'
import { startTestWorld } from '../server/test-worker.ts'
import { openSettler } from './record-results.ts'

const world = await startTestWorld()
const services = await openServices(world.config, world.environment, { log: world.log, metrics: new Registry() })
whenDone(() => services.close())
const secret = await getSecret(services.db, 'recent_results')
const settler = openSettler({ db: services.db, redis: services.redis, secret, log: world.log })

/** Settles a validation of a new account and returns the result that Redis has for it. */
async function settle(retentionDays: number, verdict: Pick<StoredResult, 'status' | 'sub_status'>) {
  const { id: accountId } = await openTestAccount(world.db, 5)
  await inTenant(world.db, accountId, (trx) => updateAccount(trx, accountId, { retentionDays }))
  const refs = await world.open(['ann@example.com'], { accountId })
  const [taken] = await claimValidations(services.db, refs, { holdS: 60, egresses: [] })
  if (taken === undefined) throw new Error('nothing was claimed')
  await settler.settle({ taken, result: { ...pendingResult(taken.email, 'timeout'), ...verdict }, replyTo: undefined })
  const row = await inTenant(world.db, accountId, (trx) =>
    trx.selectFrom('validations').select('state').executeTakeFirstOrThrow(),
  )
  return { state: row.state, recent: await services.redis.get(recentKey(secret, accountId, taken.emailKey, taken)) }
}

test.for([
  { retentionDays: 30, verdict: { status: 'valid', sub_status: '' }, isKept: true },
  { retentionDays: 1, verdict: { status: 'valid', sub_status: '' }, isKept: true },
  { retentionDays: 0, verdict: { status: 'valid', sub_status: '' }, isKept: false },
  { retentionDays: 30, verdict: { status: 'unknown', sub_status: 'timeout' }, isKept: false },
  { retentionDays: 30, verdict: { status: 'risky', sub_status: 'catch_all' }, isKept: false },
  { retentionDays: 30, verdict: { status: 'risky', sub_status: 'catch_all_untested' }, isKept: false },
] as const)(
  'a $verdict.status $verdict.sub_status result with a retention of $retentionDays days is in Redis: $isKept',
  async ({ retentionDays, verdict, isKept }) => {
    const { state, recent } = await settle(retentionDays, verdict as Pick<StoredResult, 'status' | 'sub_status'>)
    expect({ state, isKept: recent !== null }).toEqual({ state: 'final', isKept })
  },
)
