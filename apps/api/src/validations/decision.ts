import { randomUUID } from 'node:crypto'
import { BASE_RATES } from '@probity/contract/constants/data/model-parameters'
import { PUBLISHABLE_POLICY } from '@probity/contract/constants/keys'
import { DECISION_TIMEOUT_DEFAULT_S } from '@probity/contract/constants/limits'
import { decideByPolicy, type NamedPolicy, type OverrideAction } from '@probity/contract/constants/policies'
import { DecisionRequest, DecisionResult } from '@probity/contract/schemas/validations/single'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { keyWithFeatures } from '@probity/redis/cache'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BODY_PROBLEMS, operation, SPENDING_PROBLEMS } from '../http/openapi.ts'
import type { Route } from '../http/route.ts'
import { storableEmail } from '../http/text.ts'
import { ALL_FEATURES } from '../http/validation-options.ts'
import { isPublishable } from '../middleware/authentication/publishable-keys.ts'
import { getPolicy, unknownPolicy } from '../middleware/find-policy.ts'
import { type Attempt, type ChargedResponse, withIdempotency } from '../middleware/idempotency/with-idempotency.ts'
import type { LoggedResult } from '../middleware/request-log/request-log.ts'
import { type LiveDependencies, validateLive } from './live.ts'
import { readSandboxAccount, resultInSandbox, type SandboxDependencies } from './sandbox.ts'
import { BODY_BYTES_MAX } from './single.ts'

type DecisionDependencies = LiveDependencies & SandboxDependencies

/** The decision of a policy about one address, for web pages and servers. */
export const decideOnAddress: Route<DecisionDependencies> = async (app, dependencies) => {
  const schema = operation(
    {
      id: 'decide',
      tag: 'Validation',
      summary: 'Decide about an address',
      description:
        'The decision of a policy about one address: `allow`, `review` or `block`. `policy` decides; without one, `signup`, or the first policy of a publishable key. The only operation for publishable keys, from a page of one of their allowed origins; secret keys can use it too. It evaluates the address and DNS. No mail server is probed and no recent result is reused, so the response does not show whether a mailbox exists. Costs one credit.',
      problems: [...BODY_PROBLEMS, ...SPENDING_PROBLEMS],
    },
    { body: DecisionRequest, response: { 200: DecisionResult } },
  )
  const config = {
    scope: 'validations:write',
    loadClass: 'address',
    waitsS: DECISION_TIMEOUT_DEFAULT_S,
    isPublic: true,
    isForPages: true,
    idempotency: 'spends',
    asksAbout: () => ({ email: '', max_age_s: 0 }), // takes a slot, and no recent result is looked up
  } as const
  app.post('/validation/decision', { schema, config, bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
    await answer(dependencies, request, reply)
    return reply
  })
}

/** Idempotency keys belong to the account, not to visitors, who do not see the balance either. */
async function answer(
  dependencies: DecisionDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (!isPublishable(request.auth)) {
    return withIdempotency(dependencies, request, reply, (attempt) => decide(dependencies, request, attempt))
  }
  const { text, logged } = await decide(dependencies, request, { subject: randomUUID(), resumed: false })
  reply.logged = logged
  return reply.header('content-type', 'application/json; charset=utf-8').send(text)
}

type Wanted = { email: string; timeoutMs: number }

/**
 * Decides about an address by a policy. The response does not show whether a mailbox exists: no mail server is probed, and recent results
 * are not used, because the response time would show that the address was validated before.
 */
async function decide(
  dependencies: DecisionDependencies,
  request: FastifyRequest,
  attempt: Attempt,
): Promise<ChargedResponse & { logged: LoggedResult }> {
  const { email, timeout = DECISION_TIMEOUT_DEFAULT_S, policy: named } = request.body as DecisionRequest
  const isLive = request.auth.mode === 'live'
  const policy = await getPolicy(dependencies, request, choosePolicy(request, named))
  const wanted = { email, timeoutMs: timeout * 1_000 }
  const { result, override, ...credits } = isLive
    ? await validate(dependencies, request, { ...wanted, attempt })
    : await validateInSandbox(dependencies, request, wanted)
  const { decision, reason } = override ? decideByOverride(policy, override) : decideByPolicy(policy, result)
  const response: DecisionResult = { decision, reason, did_you_mean: result.did_you_mean, livemode: isLive }
  const logged = { kind: 'single', status: result.status, subStatus: result.sub_status, validationId: null } as const
  return { status: 200, text: JSON.stringify(response), logged, ...credits }
}

async function validateInSandbox(dependencies: DecisionDependencies, request: FastifyRequest, wanted: Wanted) {
  const result = await lookInSandbox(dependencies, request, wanted)
  const { overrides, creditsRemaining } = await readSandboxAccount(dependencies, request.auth, [wanted.email])
  return { result, override: overrides[0] ?? null, creditsCharged: 0, creditsRemaining }
}

/** Charges one credit, as for every validation. */
async function validate(
  dependencies: DecisionDependencies,
  { auth }: FastifyRequest,
  { email, timeoutMs, attempt }: Wanted & { attempt: Attempt },
) {
  const features = { ...ALL_FEATURES, mailbox: false }
  const kept = storableEmail(email)
  const emailKey = keyWithFeatures(dedupeKey(kept), features)
  const { results, overrides, creditsCharged, creditsRemaining } = await validateLive(dependencies, {
    auth,
    attempt,
    ids: [attempt.subject],
    emails: [kept],
    purchases: [{ kind: 'work', row: { id: attempt.subject, email: kept, emailKey, ...features, timeoutMs } }],
    timeoutMs,
    isWhole: false,
  })
  const [known] = results
  if (known === undefined) throw new Error('a validation without a result')
  return { result: known.result, override: overrides[0] ?? null, creditsCharged, creditsRemaining }
}

/** The named policy or the default one. A publishable key has a list of policies; others are treated as missing. */
function choosePolicy(request: FastifyRequest, named: string | undefined): string {
  const { auth } = request
  if (!isPublishable(auth)) return named ?? PUBLISHABLE_POLICY
  const name = named ?? auth.allowedPolicies[0]
  if (name === undefined || !auth.allowedPolicies.includes(name)) throw unknownPolicy(request)
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
  dependencies: DecisionDependencies,
  { auth }: FastifyRequest,
  { email, timeoutMs }: Wanted,
): Promise<StoredResult> {
  const { result } = await resultInSandbox(dependencies, auth, { email, timeoutMs })
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
