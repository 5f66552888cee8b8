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
import { ALL_FEATURES } from '../http/validation-options.ts'
import type { Caller } from '../middleware/authentication/auth.ts'
import { isPublicCaller } from '../middleware/authentication/public-sandbox.ts'
import type { RecentKeys } from '../middleware/rate-limit/recent-keys.ts'
import { balanceOf } from './charge.ts'
import { findOverridesOf, lookUpOverrides } from './overrides.ts'

/** How the sandbox answers for one address. An open one says when to ask again, in seconds of Unix time. */
export type SandboxAnswer = { id: string; result: StoredResult; retryAt: number | null }

type Needed = { db: Db; redis: Redis; recentKeyOf: RecentKeys['keyOf']; hurry: AbortSignal }
type Asked = { email: string; timeoutMs: number; reference?: string | undefined }

/**
 * Answers without asking or charging anything, and keeps nothing but what a webhook is to be told. Throws where the address calls
 * for a refusal of the whole request.
 */
export async function answerInSandbox(services: Needed, caller: Caller, asked: Asked): Promise<SandboxAnswer> {
  const { email, timeoutMs, reference = null } = asked
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
      await sleep(waitMs, undefined, { signal: services.hurry }).catch(() => {}) // who is told to hurry answers at once
      if (timeoutMs >= found.byS * 1_000) return settled(sandboxResult(email, { subStatus: '' }))
      return { ...settled(sandboxResult(email, { subStatus: 'timeout' })), retryAt: Date.now() / 1000 + 1 }
    }
    case 'greylisted': {
      const { id, firstAskedAt, isFirst } = await remember(services, caller, email)
      const retryAt = firstAskedAt + found.forS
      const answer = sandboxResult(email, { subStatus: '' })
      if (Date.now() / 1000 >= retryAt) return { id, result: answer, retryAt: null }
      if (isFirst && !isPublicCaller(caller)) {
        const [override = null] = await findOverridesOf(services, caller, [email])
        const told = override ? withOverride(answer, override) : { ...answer, override }
        await inTenant(services.db, caller.accountId, (trx) =>
          emitInSandbox(trx, { id, result: told, reference }, new Date(retryAt * 1000)),
        )
      }
      return { id, result: sandboxResult(email, { subStatus: 'greylisted' }), retryAt }
    }
  }
}

/** The data of the account in a sandbox response: overrides and balance. The public sandbox key has no account. */
export async function readSandboxAccount(
  { db }: { db: Db },
  caller: Caller,
  emails: string[],
): Promise<{ overrides: (OverrideAction | null)[]; creditsRemaining: number | null }> {
  if (isPublicCaller(caller)) return { overrides: emails.map(() => null), creditsRemaining: null }
  return inTenant(db, caller.accountId, async (trx) => ({
    overrides: await lookUpOverrides(trx, caller.accountId, emails),
    creditsRemaining: await balanceOf(trx),
  }))
}

function settled(result: StoredResult): SandboxAnswer {
  return { id: randomUUID(), result, retryAt: null }
}

const RETRY_AFTER_S = 2

/** As long as a greylist of the sandbox remembers who was there. */
const REMEMBERED_S = 3_600

/** When an address was first asked for, and under which id. Without Redis it is always for the first time. */
async function remember({ redis, recentKeyOf }: Needed, caller: Caller, email: string) {
  const now = { id: randomUUID(), firstAskedAt: Date.now() / 1000 }
  const recentKey = recentKeyOf(caller, email, ALL_FEATURES)
  if (recentKey === undefined) return { ...now, isFirst: true }
  const kept = await redis
    .set(sandboxKey(recentKey), JSON.stringify(now), 'EX', REMEMBERED_S, 'NX', 'GET')
    .catch(() => null)
  return kept === null ? { ...now, isFirst: true } : { ...(JSON.parse(kept) as typeof now), isFirst: false }
}
