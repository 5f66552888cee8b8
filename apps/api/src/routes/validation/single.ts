import { SingleQuery, SingleRequest, ValidationResult } from '@probity/contract/validation'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isPublishable } from '../../door/publishable.ts'
import { type Attempt, refuseUnpaid, type Spent, spendOnce } from '../../door/spend-once.ts'
import { BODY_PROBLEMS, operation, SPENDING_PROBLEMS } from '../../openapi.ts'
import { findNamedPolicy } from '../../policies/find-named.ts'
import type { Route } from '../../route.ts'
import type { Services } from '../../services.ts'
import { answerBrowser } from '../../validation/browser-answer.ts'
import { composeAnswer, withoutEmail } from '../../validation/compose.ts'
import { countTowardDomainLimit } from '../../validation/domain-limit.ts'
import { keyWith, readFeatures } from '../../validation/features.ts'
import { askListed } from '../../validation/own-lists.ts'
import { answerInSandbox } from '../../validation/sandbox.ts'
import { storable } from '../../validation/storable.ts'
import type { Purchase } from '../../validation/till.ts'
import { findEarlier, waitForJoined, waitForVerdict } from '../../validation/verdict.ts'

const MEANING = {
  tag: 'Validation',
  description:
    'Waits for the verdict, up to `timeout` seconds. What is not settled by then is answered `unknown` with a `retry_at` and worked on further: the next request for the same address collects its verdict, free, once. An address that no worker has claimed by then is withdrawn and refunded: `unknown` with `not_started`. One address costs one credit; it is given back where the result ends `unknown` and the plan says so.',
}

const FOR_PAGES =
  'With a publishable key, from a page of one of its origins, the answer has `decision`, `reason`, `did_you_mean` and `livemode` and nothing else: `policy` decides, `signup` where none is named, by the address and by DNS. No mail server is asked, so that the answer is the same whether a mailbox exists or not.'

const TIMEOUT_DEFAULT_S = 10

/** One address, by POST or by GET. */
export const validateSingle: Route = async (app, services) => {
  const post = operation(
    {
      ...MEANING,
      description: `${MEANING.description} ${FOR_PAGES}`,
      id: 'validateSingle',
      summary: 'Validate an address',
      problems: ['domain_limit', ...BODY_PROBLEMS, ...SPENDING_PROBLEMS],
    },
    { body: SingleRequest, response: { 200: ValidationResult } },
  )
  const bodyConfig = {
    scope: 'validation',
    loadClass: 'address',
    waitsS: TIMEOUT_DEFAULT_S,
    isPublic: true,
    isForPages: true,
    asksAbout: (request: FastifyRequest) => request.body,
  } as const
  app.post('/validation/single', { schema: post, config: bodyConfig }, async (request, reply) => {
    if (isPublishable(request.caller)) return answerBrowser(services, request, reply, request.body)
    await answer(services, request, reply, request.body)
    return reply
  })

  const get = operation(
    {
      ...MEANING,
      id: 'validateSingleByQuery',
      summary: 'Validate an address given in the query',
      problems: ['domain_limit', ...SPENDING_PROBLEMS],
    },
    { querystring: SingleQuery, response: { 200: ValidationResult } },
  )
  const queryConfig = {
    scope: 'validation',
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

type Asked = { email: string; timeout?: number; ai?: boolean; catchall?: boolean; policy?: string }

function answer(services: Services, request: FastifyRequest, reply: FastifyReply, asked: Asked) {
  if (request.caller.mode === 'test') return sendSandbox(services, request, reply, asked)
  return spendOnce(services, request, reply, (attempt) => buyVerdict(services, request, asked, attempt))
}

/** In test mode nothing is asked, nothing is kept and nothing is spent. */
async function sendSandbox(services: Services, request: FastifyRequest, reply: FastifyReply, asked: Asked) {
  const { email, timeout = TIMEOUT_DEFAULT_S } = asked
  request.policy = await findNamedPolicy(services, request, asked.policy)
  await noteListed(services, request, email)
  const { id, result, retryAt } = await answerInSandbox(services, request.caller, { email, timeoutMs: timeout * 1_000 })
  reply.headers({ 'credits-charged': '0', 'content-type': 'application/json; charset=utf-8' })
  return reply.send(composeAnswer(request, email, { id, ...withoutEmail(result) }, retryAt))
}

async function noteListed(services: Services, request: FastifyRequest, email: string): Promise<void> {
  const [listed = null] = await askListed(services, request.caller, [email])
  request.listed = listed
}

type NewWork = { id: string; asked: Asked; emailKey: string | undefined; timeoutMs: number }

function newWork({ id, asked, emailKey, timeoutMs }: NewWork): Purchase {
  const features = readFeatures(asked)
  const email = storable(asked.email)
  const listKey = email === asked.email && emailKey !== undefined ? emailKey : dedupeKey(email)
  const row = { id, email, emailKey: keyWith(listKey, features), ...features, timeoutMs }
  return { kind: 'work', row, listKey }
}

/** Pays for an answer, at hand or to be worked out, and gives it. */
async function buyVerdict(services: Services, request: FastifyRequest, asked: Asked, attempt: Attempt): Promise<Spent> {
  const { caller, recent, emailKey } = request
  const { email, timeout = TIMEOUT_DEFAULT_S } = asked
  const { accountId, id: keyId, retentionDays } = caller
  // Before anything is paid for: there may be no such policy.
  request.policy = await findNamedPolicy(services, request, asked.policy)
  const earlier = attempt.resumed ? await findEarlier(services, accountId, attempt.subject) : undefined
  if (earlier) {
    await noteListed(services, request, email)
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
  request.listed = receipt.listed
  switch (receipt.kind) {
    case 'collected': {
      const text = composeAnswer(request, email, { id: receipt.id, ...withoutEmail(receipt.result) }, null)
      return { status: 200, text, creditsCharged: 0, creditsRemaining: receipt.available }
    }
    case 'joined':
      return waitForJoined(services, request, { ref: receipt.ref, available: receipt.available, email, timeout })
    case 'paid_recent': {
      const text = composeAnswer(request, email, recent ?? '{}', null)
      return { status: 200, text, creditsCharged: 1, creditsRemaining: receipt.available }
    }
    case 'paid_work':
      return waitForVerdict(services, request, { ref: receipt.ref, available: receipt.available, email, timeout })
  }
}
