import { SingleQuery, SingleRequest, ValidationResult } from '@probity/contract/schemas/validations/single'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { completeCached } from '@probity/engine/address/cached-result'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { keyWithFeatures } from '@probity/redis/cache'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BODY_PROBLEMS, operation, SPENDING_HEADERS, SPENDING_PROBLEMS } from '../http/openapi.ts'
import type { Route } from '../http/route.ts'
import { storable, storableEmail } from '../http/text.ts'
import { readFeatures, readMaxAge } from '../http/validation-options.ts'
import { findNamedPolicy } from '../middleware/find-policy.ts'
import { type Attempt, type ChargedResponse, withIdempotency } from '../middleware/idempotency/with-idempotency.ts'
import type { Purchase } from './charge.ts'
import { type LiveDependencies, validateLive } from './live.ts'
import { composeResponse, type Finding } from './response.ts'
import { readSandboxAccount, resultInSandbox, type SandboxDependencies } from './sandbox.ts'

type SingleDependencies = LiveDependencies & SandboxDependencies

const MEANING = {
  tag: 'Validation',
  description:
    'Waits for the verdict, up to `timeout` seconds. Without a verdict by then, the result is `unknown` with a `retry_at`, and the validation continues: the next request for the same address collects the result, once and free. An address that no worker has claimed by then is withdrawn and refunded: `unknown` with `not_started`. An address costs one credit, which is refunded if the result ends `unknown` and the plan includes refunds.',
} as const

const TIMEOUT_DEFAULT_S = 10
/** An address and a reference of maximum length, with each character escaped in JSON, take 14.4 KB. */
export const BODY_BYTES_MAX = 16 * 1024

/** One address, by POST or by GET. */
export const validateSingle: Route<SingleDependencies> = async (app, dependencies) => {
  const post = operation(
    {
      ...MEANING,
      id: 'validateSingle',
      summary: 'Validate an address',
      problems: [...BODY_PROBLEMS, ...SPENDING_PROBLEMS],
      sends: SPENDING_HEADERS,
    },
    { body: SingleRequest, response: { 200: ValidationResult } },
  )
  const bodyConfig = {
    scope: 'validations:write',
    loadClass: 'address',
    waitsS: TIMEOUT_DEFAULT_S,
    isPublic: true,
    idempotency: 'spends',
    asksAbout: (request: FastifyRequest) => request.body,
  } as const
  app.post(
    '/validation/single',
    { schema: post, config: bodyConfig, bodyLimit: BODY_BYTES_MAX },
    async (request, reply) => {
      await answer(dependencies, request, reply, request.body)
      return reply
    },
  )

  const get = operation(
    {
      ...MEANING,
      id: 'validateSingleByQuery',
      summary: 'Validate an address in the query string',
      problems: SPENDING_PROBLEMS,
      sends: SPENDING_HEADERS,
    },
    { querystring: SingleQuery, response: { 200: ValidationResult } },
  )
  const queryConfig = {
    scope: 'validations:write',
    loadClass: 'address',
    waitsS: TIMEOUT_DEFAULT_S,
    isPublic: true,
    asksAbout: (request: FastifyRequest) => request.query,
  } as const
  app.get('/validation/single', { schema: get, config: queryConfig }, async (request, reply) => {
    await answer(dependencies, request, reply, request.query)
    return reply
  })
}

type Wanted = {
  email: string
  timeout?: number
  ai?: boolean
  catchall?: boolean
  policy?: string
  max_age_s?: number
  reference?: string
}

function answer(dependencies: SingleDependencies, request: FastifyRequest, reply: FastifyReply, wanted: Wanted) {
  return withIdempotency(dependencies, request, reply, async (attempt) => {
    // Before the charge: the policy may not exist.
    const policy = await findNamedPolicy(dependencies, request, wanted.policy)
    const { finding, ...credits } =
      request.auth.mode === 'test'
        ? await validateInSandbox(dependencies, request, wanted)
        : await validate(dependencies, request, wanted, attempt)
    return { status: 200, ...composeResponse(request, { ...finding, policy }), ...credits }
  })
}

type Validated = Pick<ChargedResponse, 'creditsCharged' | 'creditsRemaining'> & { finding: Omit<Finding, 'policy'> }

/** In test mode no mail server is probed and nothing is charged. */
async function validateInSandbox(
  dependencies: SingleDependencies,
  request: FastifyRequest,
  wanted: Wanted,
): Promise<Validated> {
  const { auth } = request
  const { email, timeout = TIMEOUT_DEFAULT_S, reference } = wanted
  const { overrides, creditsRemaining } = await readSandboxAccount(dependencies, auth, [email])
  const result = await resultInSandbox(dependencies, auth, { email, timeoutMs: timeout * 1_000, reference })
  const finding = { ...result, email, override: overrides[0] ?? null, reference }
  return { finding, creditsCharged: 0, creditsRemaining }
}

/** Charges a credit, unless an earlier request has paid for the result. A recent result is charged too. */
async function validate(
  dependencies: SingleDependencies,
  request: FastifyRequest,
  wanted: Wanted,
  attempt: Attempt,
): Promise<Validated> {
  const { auth, rateLimit, span } = request
  const { email, timeout = TIMEOUT_DEFAULT_S, reference } = wanted
  const recent = rateLimit?.recent === undefined ? undefined : readRecent(rateLimit.recent, email)
  const listKey = rateLimit?.emailKey
  const timeoutMs = timeout * 1_000
  const purchase: Purchase = recent
    ? { kind: 'recent', email, listKey: listKey ?? dedupeKey(email), ...recent }
    : newPurchase({ id: attempt.subject, wanted, listKey, timeoutMs })
  const { results, overrides, ...credits } = await validateLive(dependencies, {
    auth,
    attempt,
    ids: [attempt.subject],
    emails: [storableEmail(email)],
    purchases: [purchase],
    timeoutMs,
    isWhole: false,
    span,
  })
  const [result] = results
  if (result === undefined) throw new Error('a validation without a result')
  const text = recent && result.id === recent.id ? recent.text : undefined
  return { finding: { ...result, text, email, override: overrides[0] ?? null, reference }, ...credits }
}

/** A cached recent result, with the address as written in this request. */
function readRecent(cached: string, email: string): { id: string; result: StoredResult; text: string } {
  const text = completeCached(cached, email)
  const result = JSON.parse(text) as StoredResult & { id: string }
  result.email = email
  return { id: result.id, result, text }
}

type NewPurchase = { id: string; wanted: Wanted; listKey: string | undefined; timeoutMs: number }

function newPurchase({ id, wanted, listKey, timeoutMs }: NewPurchase): Purchase {
  const features = readFeatures(wanted)
  const email = storableEmail(wanted.email)
  const key = email === wanted.email && listKey !== undefined ? listKey : dedupeKey(email)
  const reference = wanted.reference === undefined ? null : storable(wanted.reference)
  const options = { ...features, timeoutMs, maxAgeS: readMaxAge(wanted), reference }
  return { kind: 'work', row: { id, email, emailKey: keyWithFeatures(key, features), ...options }, listKey: key }
}
