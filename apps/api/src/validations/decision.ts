import { randomUUID } from 'node:crypto'
import { DECISION_TIMEOUT_DEFAULT_S } from '@probity/contract/constants/limits'
import { DecisionRequest, DecisionResult } from '@probity/contract/schemas/validations/single'
import type { Db } from '@probity/database/connection/connect'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Redis } from 'ioredis'
import { BODY_PROBLEMS, operation, SPENDING_PROBLEMS } from '../http/openapi.ts'
import type { Route } from '../http/route.ts'
import { isPublishable } from '../middleware/authentication/publishable-keys.ts'
import { spendOnce } from '../middleware/idempotency/with-idempotency.ts'
import type { RecentKeys } from '../middleware/rate-limit/recent-keys.ts'
import { decide } from './decide.ts'
import type { ValidationDesk } from './dispatch.ts'
import { BODY_BYTES_MAX } from './single.ts'

type DecisionDependencies = {
  db: Db
  redis: Redis
  recentKeyOf: RecentKeys['keyOf']
  desk: ValidationDesk
  hurry: AbortSignal
}

/** The decision of a policy about one address, for web pages and servers. */
export const decideOnAddress: Route<DecisionDependencies> = async (app, services) => {
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
    asksAbout: () => ({ email: '', max_age_s: 0 }), // takes a place, and no recent result is looked up
  } as const
  app.post('/validation/decision', { schema, config, bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
    await answer(services, request, reply)
    return reply
  })
}

/** Idempotency keys belong to the account, not to visitors, who are not told the balance either. */
async function answer(
  services: DecisionDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { caller } = request
  if (!isPublishable(caller)) {
    return spendOnce(services, request, reply, async (attempt) => {
      return { status: 200, ...(await decide(services, request, attempt)) }
    })
  }
  const { text } = await decide(services, request, { subject: randomUUID(), resumed: false })
  return reply.header('content-type', 'application/json; charset=utf-8').send(text)
}
