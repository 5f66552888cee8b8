import {
  decideByPolicy,
  type NamedPolicy,
  type OverrideAction,
  withOverride,
} from '@probity/contract/constants/policies'
import { BulkRequest, BulkSummary } from '@probity/contract/schemas/validations/bulk'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { inTenant } from '@probity/database/connection/connect'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BODY_PROBLEMS, operation, SPENDING_HEADERS, SPENDING_PROBLEMS } from '../http/openapi.ts'
import type { Route } from '../http/route.ts'
import { storable } from '../http/text.ts'
import { type Features, readFeatures } from '../http/validation-options.ts'
import { findNamedPolicy } from '../middleware/find-policy.ts'
import { type Attempt, type ChargedResponse, withIdempotency } from '../middleware/idempotency/with-idempotency.ts'
import type { LoggedResult } from '../middleware/request-log/request-log.ts'
import { balanceOf, type KnownResult, type Purchase } from './charge.ts'
import { type Entry, findRecent, readEntries } from './entries.ts'
import { type LiveDependencies, validateLive } from './live.ts'
import { timeOf } from './response.ts'
import { readSandboxAccount, resultInSandbox, type SandboxDependencies } from './sandbox.ts'

type BulkDependencies = LiveDependencies & SandboxDependencies

const TIMEOUT_DEFAULT_S = 20
/** 1,000 addresses of 1,000 bytes, with the JSON around them. */
const BODY_BYTES_MAX = 1024 * 1024 + 16 * 1024

/** Up to 1,000 addresses in one request, grouped by domain. */
export const validateBulk: Route<BulkDependencies> = async (app, dependencies) => {
  const schema = operation(
    {
      id: 'validateBulk',
      tag: 'Validation',
      summary: 'Validate up to 1,000 addresses',
      description:
        'Waits for the verdicts, up to `timeout` seconds. Addresses without a verdict by then are `unknown`, and their validation continues: the next request for one of them collects its result, once and free. Addresses that no worker has claimed by then are withdrawn and refunded: `unknown` with `not_started`. Each unique address costs one credit; duplicates are free. If the credits are insufficient, the whole request is rejected. Credits are refunded for addresses that end `unknown` if the plan includes refunds. Results of the last 24 hours are reused unless `max_age_s` says otherwise.',
      problems: [...BODY_PROBLEMS, ...SPENDING_PROBLEMS],
      sends: SPENDING_HEADERS,
    },
    { body: BulkRequest, response: { 200: BulkSummary } },
  )
  // The request takes one slot of the account; recent results are looked up later, all at once.
  const config = {
    scope: 'validations:write',
    loadClass: 'list',
    isPublic: true,
    idempotency: 'spends',
    waitsS: TIMEOUT_DEFAULT_S,
    asksAbout: () => ({ email: '' }),
  } as const
  app.post('/validation/bulk', { schema, config, bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
    await answer(dependencies, request, reply, request.body)
    return reply
  })
}

function answer(
  dependencies: BulkDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { emails, timeout, ...asked }: BulkRequest,
) {
  const timeoutMs = (timeout ?? TIMEOUT_DEFAULT_S) * 1_000
  const wanted = { emails, timeoutMs, ...asked }
  return withIdempotency(dependencies, request, reply, (attempt) =>
    request.auth.mode === 'test'
      ? validateInSandbox(dependencies, request, wanted)
      : validateList(dependencies, request, { ...wanted, attempt, features: readFeatures(asked) }),
  )
}

type Wanted = { emails: string[]; timeoutMs: number; policy?: string; max_age_s?: number; reference?: string }

/** In test mode no mail server is probed and nothing is charged. */
async function validateInSandbox(
  dependencies: BulkDependencies,
  request: FastifyRequest,
  wanted: Wanted,
): Promise<ChargedResponse> {
  const { auth } = request
  const { emails, timeoutMs, reference } = wanted
  const policy = await findNamedPolicy(dependencies, request, wanted.policy)
  const entries = await readEntries(emails, '')
  const results = await Promise.all(
    entries.map(({ email }) => resultInSandbox(dependencies, auth, { email, timeoutMs, reference })),
  )
  const { overrides, creditsRemaining } = await readSandboxAccount(dependencies, auth, emailsOf(entries))
  const credits = { creditsCharged: 0, creditsRefunded: 0 }
  const composed = composeBulk({ request: wanted, entries, results, overrides, policy, ...credits, livemode: false })
  return { status: 200, ...composed, creditsCharged: 0, creditsRemaining }
}

type LiveList = Wanted & { attempt: Attempt; features: Features }

async function validateList(
  dependencies: BulkDependencies,
  request: FastifyRequest,
  wanted: LiveList,
): Promise<ChargedResponse> {
  const { auth } = request
  const { emails, timeoutMs, attempt, features, max_age_s: maxAgeS } = wanted
  // Before the charge: the policy may not exist.
  const policy = await findNamedPolicy(dependencies, request, wanted.policy)
  const entries = await readEntries(emails, attempt.subject, features)
  if (entries.length === 0) return validateNothing(dependencies, request, { wanted, policy })
  const recent = await findRecent(dependencies, { auth, maxAgeS }, entries)
  const reference = wanted.reference === undefined ? null : storable(wanted.reference)
  const purchases = entries.map(({ id, kept: email, emailKey }, n): Purchase => {
    const row = { id, email, emailKey, ...features, timeoutMs, maxAgeS, reference }
    return { kind: 'work', row, recent: recent.get(n) }
  })
  const { results, overrides, ...credits } = await validateLive(dependencies, {
    auth,
    attempt,
    ids: entries.map(({ id }) => id),
    emails: emailsOf(entries),
    purchases,
    timeoutMs,
    isWhole: true,
  })
  const composed = composeBulk({ request: wanted, entries, results, overrides, policy, ...credits, livemode: true })
  return { status: 200, ...composed, ...credits }
}

/** The summary of an empty list. There is nothing to charge. */
async function validateNothing(
  dependencies: BulkDependencies,
  { auth }: FastifyRequest,
  { wanted, policy }: { wanted: Wanted; policy: NamedPolicy | undefined },
): Promise<ChargedResponse> {
  const creditsRemaining = await inTenant(dependencies.db, auth.accountId, balanceOf)
  const nothing = { entries: [], results: [], overrides: [], creditsCharged: 0, creditsRefunded: 0 }
  const composed = composeBulk({ request: wanted, policy, ...nothing, livemode: true })
  return { status: 200, ...composed, creditsCharged: 0, creditsRemaining }
}

function emailsOf(entries: Entry[]): string[] {
  return entries.map(({ kept }) => kept)
}

/** The result of one address. `retryAt` is set while the validation is deferred. */
type Finding = Pick<KnownResult, 'id' | 'result' | 'retryAt'>

/** Parallel arrays have one element for each entry. */
type BulkOutcome = {
  request: Wanted
  entries: Entry[]
  results: Finding[]
  /** The account's override for the address. */
  overrides: (OverrideAction | null)[]
  policy: NamedPolicy | undefined
  creditsCharged: number
  creditsRefunded: number
  livemode: boolean
}

function composeBulk(outcome: BulkOutcome): { text: string; logged: LoggedResult } {
  const { request, entries, results, creditsCharged, creditsRefunded, livemode } = outcome
  const counts: Record<string, number> = {}
  for (const { status } of results.map(({ result }) => result)) counts[status] = (counts[status] ?? 0) + 1
  const summary: BulkSummary = {
    total: request.emails.length,
    valid_count: counts['valid'] ?? 0,
    invalid_count: counts['invalid'] ?? 0,
    risky_count: counts['risky'] ?? 0,
    duplicate_count: request.emails.length - entries.length,
    credits_used: creditsCharged + creditsRefunded,
    results: entries.map((entry, n) => presentItem(outcome, entry, n)),
    unknown_count: counts['unknown'] ?? 0,
    credits_refunded: creditsRefunded,
    credits_charged: creditsCharged,
    livemode,
    reference: request.reference ?? null,
  }
  return { text: JSON.stringify(summary), logged: { kind: 'bulk', counts } }
}

function presentItem({ results, overrides, policy }: BulkOutcome, { email, indexes }: Entry, n: number) {
  const { id, result: found, retryAt } = results[n] as Finding
  const override = overrides[n] ?? null
  const result: StoredResult = override ? withOverride(found, override) : found
  return {
    email,
    status: result.status,
    is_valid: result.is_valid,
    confidence: result.confidence,
    sub_status: result.sub_status,
    depth: result.depth,
    override,
    id,
    safe_to_send: result.safe_to_send,
    deliverability: result.deliverability,
    did_you_mean: result.did_you_mean,
    retry_at: timeOf(retryAt),
    indexes,
    ...(policy && { policy: decideByPolicy(policy, result) }),
  }
}
