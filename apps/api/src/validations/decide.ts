import { BASE_RATES } from '@probity/contract/constants/data/model-parameters'
import { PUBLISHABLE_POLICY } from '@probity/contract/constants/keys'
import { DECISION_TIMEOUT_DEFAULT_S } from '@probity/contract/constants/limits'
import type { OverrideAction } from '@probity/contract/constants/policies'
import { decideByPolicy, type NamedPolicy } from '@probity/contract/constants/policies'
import type { DecisionRequest, DecisionResult } from '@probity/contract/schemas/validations/single'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import type { Db } from '@probity/database/connection/connect'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { keyWithFeatures } from '@probity/redis/cache'
import type { FastifyRequest } from 'fastify'
import type { Redis } from 'ioredis'
import { storable } from '../http/storable.ts'
import { ALL_FEATURES } from '../http/validation-options.ts'
import { isPublishable } from '../middleware/authentication/publishable-keys.ts'
import { getPolicy, unknownPolicy } from '../middleware/find-policy.ts'
import { type Attempt, refuseUnpaid } from '../middleware/idempotency/with-idempotency.ts'
import type { RecentKeys } from '../middleware/rate-limit/recent-keys.ts'
import { findEarlier, tellJoined, tellPaid } from './await-result.ts'
import type { ValidationDesk } from './dispatch.ts'
import { findOverridesOf } from './overrides.ts'
import { answerInSandbox, readSandboxAccount } from './sandbox.ts'

type DecideDependencies = {
  db: Db
  redis: Redis
  recentKeyOf: RecentKeys['keyOf']
  desk: ValidationDesk
  hurry: AbortSignal
}

/** The response as JSON text, and what it cost. */
export type Decided = { text: string; creditsCharged: number; creditsRemaining: number | null }

/**
 * Decides about an address by a policy. The response does not show whether a mailbox exists: no mail server is probed, and recent results
 * are not used, because the response time would show that the address was validated before.
 */
export async function decide(
  services: DecideDependencies,
  request: FastifyRequest,
  attempt: Attempt,
): Promise<Decided> {
  const { caller } = request
  const asked = request.body as DecisionRequest
  const isLive = caller.mode === 'live'
  const policy = await getPolicy(services, request, choosePolicy(request, asked.policy))
  const bought = isLive ? await buyResult(services, request, asked, attempt) : undefined
  const result = bought?.result ?? (await lookInSandbox(services, request, asked))
  request.verdict = result.status
  request.finding = { subStatus: result.sub_status, validationId: null }
  const { overrides, creditsRemaining } = bought
    ? { overrides: await findOverridesOf(services, caller, [asked.email]), creditsRemaining: bought.creditsRemaining }
    : await readSandboxAccount(services, caller, [asked.email])
  const [override = null] = overrides
  const { decision, reason } = override ? decideByOverride(policy, override) : decideByPolicy(policy, result)
  const response: DecisionResult = { decision, reason, did_you_mean: result.did_you_mean, livemode: isLive }
  const text = JSON.stringify(response)
  return { text, creditsCharged: bought?.creditsCharged ?? 0, creditsRemaining }
}

/** The named policy or the default one. A publishable key has a list of policies; others are answered as if they did not exist. */
function choosePolicy(request: FastifyRequest, named: string | undefined): string {
  const { caller } = request
  if (!isPublishable(caller)) return named ?? PUBLISHABLE_POLICY
  const name = named ?? caller.allowedPolicies[0]
  if (name === undefined || !caller.allowedPolicies.includes(name)) throw unknownPolicy(request)
  return name
}

/** An override decides, with a reason that does not reveal it: visitors must not learn that an address is known to the account. */
function decideByOverride(
  { default: usual }: NamedPolicy,
  override: OverrideAction,
): Pick<DecisionResult, 'decision' | 'reason'> {
  return { decision: override, reason: usual.decision === override ? usual.reason : OVERRIDE_REASONS[override] }
}

const OVERRIDE_REASONS: Record<OverrideAction, string> = {
  allow: 'No issues found.',
  block: 'This address is not accepted.',
}

type Bought = { result: StoredResult; creditsCharged: number; creditsRemaining: number }

/** Costs one credit, as every validation. */
async function buyResult(
  services: DecideDependencies,
  { caller }: FastifyRequest,
  asked: DecisionRequest,
  attempt: Attempt,
): Promise<Bought> {
  const { email, timeout = DECISION_TIMEOUT_DEFAULT_S } = asked
  const { accountId, id: keyId, retentionDays } = caller
  const earlier = attempt.resumed ? await findEarlier(services, accountId, attempt.subject) : undefined
  if (earlier) {
    const { result, refunded } = await tellPaid(services, { ref: earlier.ref, email, timeout })
    return charged(result, earlier.available, refunded)
  }
  const features = { ...ALL_FEATURES, mailbox: false }
  const kept = storable(email)
  const emailKey = keyWithFeatures(dedupeKey(kept), features)
  const row = { id: attempt.subject, email: kept, emailKey, ...features, timeoutMs: timeout * 1_000 }
  const receipt = await services.desk.pay({ accountId, keyId, retentionDays }, { kind: 'work', row })
  switch (receipt.kind) {
    case 'unpaid':
      throw refuseUnpaid(receipt.posting)
    case 'collected':
      return { result: receipt.result, creditsCharged: 0, creditsRemaining: receipt.available }
    case 'joined': {
      const { result } = await tellJoined(services, { ref: receipt.ref, email, timeout })
      return { result, creditsCharged: 0, creditsRemaining: receipt.available }
    }
    case 'paid_work': {
      const { result, refunded } = await tellPaid(services, { ref: receipt.ref, email, timeout })
      return charged(result, receipt.available, refunded)
    }
    case 'paid_recent':
      throw new Error('no recent result was bought')
  }
}

function charged(result: StoredResult, available: number, refunded: boolean): Bought {
  const refund = refunded ? 1 : 0
  return { result, creditsCharged: 1 - refund, creditsRemaining: available + refund }
}

/** Sub-statuses that need no probe. */
const SAID_WITHOUT_SERVER = new Set([
  'syntax_error',
  'domain_not_found',
  'no_mail_server',
  'null_mx',
  'disposable',
  'dns_failed',
  'address_literal',
  'not_started',
  'sandbox_unmapped',
])

/** As in live mode, where no probe is made: the sandbox returns no decision that live mode cannot return. */
async function lookInSandbox(
  services: DecideDependencies,
  { caller }: FastifyRequest,
  asked: DecisionRequest,
): Promise<StoredResult> {
  const { email, timeout = DECISION_TIMEOUT_DEFAULT_S } = asked
  const { result } = await answerInSandbox(services, caller, { email, timeoutMs: timeout * 1_000 })
  if (SAID_WITHOUT_SERVER.has(result.sub_status)) return result
  const { p } = BASE_RATES.not_probed
  const unprobed = {
    status: 'unknown',
    sub_status: 'not_probed',
    is_valid: false,
    safe_to_send: false,
    depth: 'dns',
  } as const
  return { ...result, ...unprobed, deliverability: p, confidence: p }
}
