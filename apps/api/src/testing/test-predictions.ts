import { randomUUID } from 'node:crypto'
import { pendingResult, type StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { getAccount } from '@probity/database/accounts/accounts'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { changeTestResults } from '@probity/database/jobs/results/test-results'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { sql } from 'kysely'
import { ALL_FEATURES } from '../http/validation-options.ts'
import type { TestApi, TestClient } from './test-api.ts'
import { keepList } from './test-results.ts'

/** For tests: a result as a worker stores it, with its prediction. */
export function predictionResultOf(email: string, changes: object = {}): object {
  const answer = pendingResult(email, 'provider_unverifiable')
  const details = { ...answer.details, provider: 'google' }
  return { ...answer, details, status: 'risky', sub_status: 'catch_all', deliverability: 0.85, ...changes }
}

/** For tests: stores a finished validation and returns its id. */
export async function keepValidation({ db }: TestApi, { accountId }: TestClient, email: string, changes: object = {}) {
  const id = randomUUID()
  const answer = JSON.stringify(predictionResultOf(email, changes))
  await asOwner(db, (trx) =>
    sql`insert into validations (expires_on, account_id, id, email, email_key, state, conclusive, refunded, result, finished_at)
        values (utc_today() + 30, ${accountId}, ${id}, ${email}, ${dedupeKey(email)}, 'final', true, false, ${answer}::json, now())`.execute(
      trx,
    ),
  )
  return id
}

/** For tests: stores a recent result, as if the address had just been validated. */
export async function keepRecent(
  { db, services }: TestApi,
  { accountId }: TestClient,
  email: string,
  changes: object = {},
) {
  const { email: _, ...rest } = predictionResultOf(email, changes) as { email: string }
  const { account, plan } = await inTenant(db, accountId, (trx) => getAccount(trx, accountId))
  const manner = { ...account, accountId, ai: plan.aiEnhancement, catchall: plan.catchallDetection }
  const key = services.recentKeyOf(manner, email, ALL_FEATURES)
  if (key === undefined) throw new Error('the secret of recent results is not known yet')
  await services.redis.set(key, JSON.stringify({ id: randomUUID(), ...rest }), 'EX', 600)
}

/** For tests: a job whose results all have a prediction. */
export async function keepPredictedList(
  api: TestApi,
  by: TestClient,
  { emails, mode = 'live' }: { emails: string[]; mode?: 'live' | 'test' },
): Promise<string> {
  const jobId = await keepList(api, { by, mode, content: `email\n${emails.join('\n')}\n` })
  await changeTestResults(api.db, jobId, (_, { email }) => predictionResultOf(email) as StoredResult)
  return jobId
}
