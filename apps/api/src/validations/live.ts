import type { OverrideAction } from '@probity/contract/constants/policies'
import type { Db } from '@probity/database/connection/connect'
import type { AbuseLimits } from '@probity/settings/connection-settings'
import type { Span } from '@probity/telemetry/span'
import type { Auth } from '../middleware/authentication/auth.ts'
import type { Attempt } from '../middleware/idempotency/with-idempotency.ts'
import { awaitResults } from './await-result.ts'
import { type Credits, findCharged, type KnownResult, type Purchase, sumCredits } from './charge.ts'
import type { Dispatcher } from './dispatch.ts'
import { applyDomainLimit } from './domain-limit.ts'
import { findOverridesOf } from './overrides.ts'

export type LiveDependencies = {
  db: Db
  abuseLimits: AbuseLimits | undefined
  dispatch: Pick<Dispatcher, 'charge' | 'results' | 'withdraw'>
}

/** A request in live mode. `ids`, `emails` and `purchases` have one element for each address. */
export type LiveRequest = {
  auth: Auth
  attempt: Attempt
  ids: string[]
  emails: string[]
  purchases: Purchase[]
  timeoutMs: number
  /** Whether all addresses are charged or none. */
  isWhole: boolean
  span?: Span | undefined
}

type LiveOutcome = Credits & { results: KnownResult[]; overrides: (OverrideAction | null)[] }

/** Charges, dispatches and awaits validations, or continues what an earlier attempt at the same request has charged. */
export async function validateLive(dependencies: LiveDependencies, request: LiveRequest): Promise<LiveOutcome> {
  const { auth, emails, timeoutMs } = request
  const receipts = (await resume(dependencies, request)) ?? (await charge(dependencies, request))
  const results = await awaitResults(dependencies, { receipts, emails, timeoutMs })
  const known = receipts.flatMap(({ override }) => (override === undefined ? [] : [override]))
  const overrides = known.length === emails.length ? known : await findOverridesOf(dependencies, auth, emails)
  return { results, overrides, ...sumCredits(receipts, results) }
}

async function resume({ db }: LiveDependencies, { auth, attempt, ids, emails }: LiveRequest) {
  if (!attempt.resumed) return undefined
  const requested = ids.map((id, n) => ({ id, email: emails[n] ?? '' }))
  return findCharged(db, auth.accountId, requested)
}

async function charge(dependencies: LiveDependencies, request: LiveRequest) {
  const { auth, attempt, isWhole, span } = request
  const { accountId, id: keyId, retentionDays } = auth
  const purchases = await applyDomainLimit(dependencies, accountId, request.purchases)
  const group = isWhole ? attempt.subject : undefined
  return dependencies.dispatch.charge({ payer: { accountId, keyId, retentionDays }, purchases, group }, span)
}
