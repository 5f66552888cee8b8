import { SingleQuery, SingleRequest, ValidationResult } from '@probity/contract/schemas/validations/single'
import type { Db } from '@probity/database/connection/connect'
import { completeCached } from '@probity/engine/address/cached-result'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { keyWithFeatures } from '@probity/redis/cache'
import type { AbuseLimits } from '@probity/settings/abuse-limits'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Redis } from 'ioredis'
import { BODY_PROBLEMS, operation, SPENDING_HEADERS, SPENDING_PROBLEMS } from '../http/openapi.ts'
import type { Route } from '../http/route.ts'
import { storable } from '../http/storable.ts'
import { readFeatures, readMaxAge } from '../http/validation-options.ts'
import { findNamedPolicy } from '../middleware/find-policy.ts'
import { type Attempt, refuseUnpaid, type Spent, spendOnce } from '../middleware/idempotency/with-idempotency.ts'
import type { RecentKeys } from '../middleware/rate-limit/recent-keys.ts'
import { findEarlier, waitForJoined, waitForVerdict } from './await-result.ts'
import type { Purchase } from './charge.ts'
import type { ValidationDesk } from './dispatch.ts'
import { countTowardDomainLimit } from './domain-limit.ts'
import { findOverridesOf } from './overrides.ts'
import { composeAnswer, withoutEmail } from './response.ts'
import { answerInSandbox, readSandboxAccount } from './sandbox.ts'

type SingleDependencies = {
  db: Db
  redis: Redis
  abuseLimits: AbuseLimits | undefined
  recentKeyOf: RecentKeys['keyOf']
  desk: ValidationDesk
  hurry: AbortSignal
}

const MEANING = {
  tag: 'Validation',
  description:
    'Waits for the verdict, up to `timeout` seconds. Without a verdict by then, the result is `unknown` with a `retry_at`, and the validation continues: the next request for the same address collects the result, once and free. An address that no worker has claimed by then is withdrawn and refunded: `unknown` with `not_started`. An address costs one credit, which is refunded if the result ends `unknown` and the plan includes refunds.',
} as const

const TIMEOUT_DEFAULT_S = 10
/** An address and a reference of the longest kind, each character escaped as in JSON, take 14.4 KB. */
export const BODY_BYTES_MAX = 16 * 1024

/** One address, by POST or by GET. */
export const validateSingle: Route<SingleDependencies> = async (app, services) => {
  const post = operation(
    {
      ...MEANING,
      id: 'validateSingle',
      summary: 'Validate an address',
      problems: ['domain_limit', ...BODY_PROBLEMS, ...SPENDING_PROBLEMS],
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
      await answer(services, request, reply, request.body)
      return reply
    },
  )

  const get = operation(
    {
      ...MEANING,
      id: 'validateSingleByQuery',
      summary: 'Validate an address in the query string',
      problems: ['domain_limit', ...SPENDING_PROBLEMS],
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
    await answer(services, request, reply, request.query)
    return reply
  })
}

type Asked = {
  email: string
  timeout?: number
  ai?: boolean
  catchall?: boolean
  policy?: string
  max_age_s?: number
  reference?: string
}

function answer(services: SingleDependencies, request: FastifyRequest, reply: FastifyReply, asked: Asked) {
  return spendOnce(services, request, reply, (attempt) =>
    request.caller.mode === 'test'
      ? validateInSandbox(services, request, asked)
      : buyVerdict(services, request, asked, attempt),
  )
}

/** In test mode no mail server is probed and nothing is charged. */
async function validateInSandbox(services: SingleDependencies, request: FastifyRequest, asked: Asked): Promise<Spent> {
  const { email, timeout = TIMEOUT_DEFAULT_S, reference } = asked
  request.policy = await findNamedPolicy(services, request, asked.policy)
  const { overrides, creditsRemaining } = await readSandboxAccount(services, request.caller, [email])
  request.override = overrides[0] ?? null
  const question = { email, timeoutMs: timeout * 1_000, reference }
  const { id, result, retryAt } = await answerInSandbox(services, request.caller, question)
  const text = composeAnswer(request, email, { id, ...withoutEmail(result) }, retryAt)
  return { status: 200, text, creditsCharged: 0, creditsRemaining }
}

async function noteOverride(services: { db: Db }, request: FastifyRequest, email: string): Promise<void> {
  const [override = null] = await findOverridesOf(services, request.caller, [email])
  request.override = override
}

type NewWork = { id: string; asked: Asked; emailKey: string | undefined; timeoutMs: number }

function newWork({ id, asked, emailKey, timeoutMs }: NewWork): Purchase {
  const features = readFeatures(asked)
  const email = storable(asked.email)
  const listKey = email === asked.email && emailKey !== undefined ? emailKey : dedupeKey(email)
  const reference = asked.reference === undefined ? null : storable(asked.reference)
  const options = { ...features, timeoutMs, maxAgeS: readMaxAge(asked), reference }
  const row = { id, email, emailKey: keyWithFeatures(listKey, features), ...options }
  return { kind: 'work', row, listKey }
}

/** Pays for an answer, at hand or to be worked out, and gives it. */
async function buyVerdict(
  services: SingleDependencies,
  request: FastifyRequest,
  asked: Asked,
  attempt: Attempt,
): Promise<Spent> {
  const { caller, recent, emailKey } = request
  const { email, timeout = TIMEOUT_DEFAULT_S } = asked
  const { accountId, id: keyId, retentionDays } = caller
  // Before anything is paid for: there may be no such policy.
  request.policy = await findNamedPolicy(services, request, asked.policy)
  const earlier = attempt.resumed ? await findEarlier(services, accountId, attempt.subject) : undefined
  if (earlier) {
    await noteOverride(services, request, email)
    return waitForVerdict(services, request, { ref: earlier.ref, available: earlier.available, email, timeout })
  }

  const timeoutMs = timeout * 1_000
  if (recent === undefined) await countTowardDomainLimit(services, accountId, [email])
  const purchase: Purchase =
    recent === undefined
      ? newWork({ id: attempt.subject, asked, emailKey, timeoutMs })
      : { kind: 'recent', email, listKey: emailKey ?? dedupeKey(email) }
  const receipt = await services.desk.pay({ accountId, keyId, retentionDays }, purchase, request.span)
  if (receipt.kind === 'unpaid') throw refuseUnpaid(receipt.posting)
  request.override = receipt.override
  switch (receipt.kind) {
    case 'collected': {
      const text = composeAnswer(request, email, { id: receipt.id, ...withoutEmail(receipt.result) }, null)
      return { status: 200, text, creditsCharged: 0, creditsRemaining: receipt.available }
    }
    case 'joined':
      return waitForJoined(services, request, { ref: receipt.ref, available: receipt.available, email, timeout })
    case 'paid_recent': {
      const text = composeAnswer(request, email, completeCached(recent ?? '{}', email), null)
      return { status: 200, text, creditsCharged: 1, creditsRemaining: receipt.available }
    }
    case 'paid_work':
      return waitForVerdict(services, request, { ref: receipt.ref, available: receipt.available, email, timeout })
  }
}
