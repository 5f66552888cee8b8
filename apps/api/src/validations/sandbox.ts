import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type OverrideAction, withOverride } from '@probity/contract/constants/policies'
import { isTransient } from '@probity/contract/constants/problems'
import { findSandboxCase } from '@probity/contract/constants/sandbox'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { sandboxResult, unmappedResult } from '@probity/contract/schemas/validations/stored-result'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { emitInSandbox } from '@probity/database/validations/stored-validations'
import { sandboxKey } from '@probity/redis/keys'
import type { Redis } from 'ioredis'
import { Problem } from '../http/problem.ts'
import { storableEmail } from '../http/text.ts'
import { ALL_FEATURES } from '../http/validation-options.ts'
import type { Auth } from '../middleware/authentication/auth.ts'
import { isPublicSandbox } from '../middleware/authentication/public-sandbox.ts'
import type { RecentKeys } from '../middleware/rate-limit/recent-keys.ts'
import { balanceOf } from './charge.ts'
import { findOverridesOf, lookUpOverrides } from './overrides.ts'

/** The result of the sandbox for one address. `retryAt` is set while it is deferred, in seconds of Unix time. */
export type SandboxResult = { id: string; result: StoredResult; retryAt: number | null }

export type SandboxDependencies = { db: Db; redis: Redis; recentKeyOf: RecentKeys['keyOf']; hurry: AbortSignal }
type SandboxRequest = { email: string; timeoutMs: number; reference?: string | undefined }

/**
 * The result that the address selects. Nothing is probed, charged or stored, except the webhook event. Throws the problem that the address
 * selects.
 */
export async function resultInSandbox(
  dependencies: SandboxDependencies,
  auth: Auth,
  request: SandboxRequest,
): Promise<SandboxResult> {
  const { timeoutMs, reference = null } = request
  const email = storableEmail(request.email)
  const found = findSandboxCase(email)
  switch (found?.kind) {
    case undefined:
      return settled(unmappedResult(email))
    case 'verdict':
      return settled(sandboxResult(email, found))
    case 'problem':
      if (isTransient(found.code)) throw new Problem(found.code, undefined, { retryAfterS: RETRY_AFTER_S })
      throw new Problem(found.code)
    case 'slow': {
      const waitMs = Math.min(found.byS * 1_000, timeoutMs)
      await sleep(waitMs, undefined, { signal: dependencies.hurry }).catch(() => {}) // a shutdown ends the wait
      if (timeoutMs >= found.byS * 1_000) return settled(sandboxResult(email, { subStatus: '' }))
      return { ...settled(sandboxResult(email, { subStatus: 'timeout' })), retryAt: Date.now() / 1000 + 1 }
    }
    case 'greylisted': {
      const { id, firstAskedAt, isFirst } = await remember(dependencies, auth, email)
      const retryAt = firstAskedAt + found.forS
      const answer = sandboxResult(email, { subStatus: '' })
      if (Date.now() / 1000 >= retryAt) return { id, result: answer, retryAt: null }
      if (isFirst && !isPublicSandbox(auth)) {
        const [override = null] = await findOverridesOf(dependencies, auth, [email])
        const resolved = override ? withOverride(answer, override) : { ...answer, override }
        await inTenant(dependencies.db, auth.accountId, (trx) =>
          emitInSandbox(trx, { id, result: resolved, reference }, new Date(retryAt * 1000)),
        )
      }
      return { id, result: sandboxResult(email, { subStatus: 'greylisted' }), retryAt }
    }
  }
}

/** The data of the account in a sandbox response: overrides and balance. The public sandbox key has no account. */
export async function readSandboxAccount(
  { db }: { db: Db },
  auth: Auth,
  emails: string[],
): Promise<{ overrides: (OverrideAction | null)[]; creditsRemaining: number | null }> {
  if (isPublicSandbox(auth)) return { overrides: emails.map(() => null), creditsRemaining: null }
  return inTenant(db, auth.accountId, async (trx) => ({
    overrides: await lookUpOverrides(trx, auth.accountId, emails),
    creditsRemaining: await balanceOf(trx),
  }))
}

function settled(result: StoredResult): SandboxResult {
  return { id: randomUUID(), result, retryAt: null }
}

const RETRY_AFTER_S = 2

/** How long the greylisting of the sandbox lasts. */
const REMEMBERED_S = 3_600

/** Time and id of the first request for an address. Without Redis every request is the first. */
async function remember({ redis, recentKeyOf }: SandboxDependencies, auth: Auth, email: string) {
  const now = { id: randomUUID(), firstAskedAt: Date.now() / 1000 }
  const recentKey = recentKeyOf(auth, email, ALL_FEATURES)
  if (recentKey === undefined) return { ...now, isFirst: true }
  const kept = await redis
    .set(sandboxKey(recentKey), JSON.stringify(now), 'EX', REMEMBERED_S, 'NX', 'GET')
    .catch(() => null)
  return kept === null ? { ...now, isFirst: true } : { ...(JSON.parse(kept) as typeof now), isFirst: false }
}
