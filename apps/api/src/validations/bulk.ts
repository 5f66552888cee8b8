import {
  decideByPolicy,
  type NamedPolicy,
  type OverrideAction,
  withOverride,
} from '@probity/contract/constants/policies'
import type { Status } from '@probity/contract/constants/validations'
import { BulkRequest, BulkSummary } from '@probity/contract/schemas/validations/bulk'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import type { Db } from '@probity/database/connection/connect'
import type { AbuseLimits } from '@probity/settings/abuse-limits'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Redis } from 'ioredis'
import { BODY_PROBLEMS, operation, SPENDING_HEADERS, SPENDING_PROBLEMS } from '../http/openapi.ts'
import type { Route } from '../http/route.ts'
import { storable } from '../http/storable.ts'
import { type Features, readFeatures } from '../http/validation-options.ts'
import { findNamedPolicy } from '../middleware/find-policy.ts'
import { type Attempt, type Spent, spendOnce } from '../middleware/idempotency/with-idempotency.ts'
import type { RecentKeys } from '../middleware/rate-limit/recent-keys.ts'
import type { ValidationDesk } from './dispatch.ts'
import { countTowardDomainLimit } from './domain-limit.ts'
import { type Entry, readEntries } from './entries.ts'
import { buyList, idsOf, waitForList } from './list.ts'
import { findOverridesOf } from './overrides.ts'
import { timeOf } from './response.ts'
import type { Told } from './result-waiter.ts'
import { answerInSandbox, readSandboxAccount } from './sandbox.ts'

type BulkDependencies = {
  db: Db
  redis: Redis
  abuseLimits: AbuseLimits | undefined
  recentKeyOf: RecentKeys['keyOf']
  desk: ValidationDesk
  hurry: AbortSignal
}

const TIMEOUT_DEFAULT_S = 20
/** A thousand addresses of a thousand bytes, with what JSON needs around them. */
const BODY_BYTES_MAX = 1024 * 1024 + 16 * 1024

/** Up to 1,000 addresses in one request, grouped by domain. */
export const validateBulk: Route<BulkDependencies> = async (app, services) => {
  const schema = operation(
    {
      id: 'validateBulk',
      tag: 'Validation',
      summary: 'Validate up to 1,000 addresses',
      description:
        'Waits for the verdicts, up to `timeout` seconds. Addresses without a verdict by then are `unknown`, and their validation continues: the next request for one of them collects its result, once and free. Addresses that no worker has claimed by then are withdrawn and refunded: `unknown` with `not_started`. Each unique address costs one credit; duplicates are free. If the credits are insufficient, the whole request is rejected. Credits are refunded for addresses that end `unknown` if the plan includes refunds. Results of the last 24 hours are reused unless `max_age_s` says otherwise.',
      problems: ['domain_limit', ...BODY_PROBLEMS, ...SPENDING_PROBLEMS],
      sends: SPENDING_HEADERS,
    },
    { body: BulkRequest, response: { 200: BulkSummary } },
  )
  // The list takes one of the account's places; what is recent of it is looked for later, all at once.
  const config = {
    scope: 'validations:write',
    loadClass: 'list',
    isPublic: true,
    idempotency: 'spends',
    waitsS: TIMEOUT_DEFAULT_S,
    asksAbout: () => ({ email: '' }),
  } as const
  app.post('/validation/bulk', { schema, config, bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
    await answer(services, request, reply, request.body)
    return reply
  })
}

function answer(
  services: BulkDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { emails, timeout, ...asked }: BulkRequest,
) {
  const timeoutMs = (timeout ?? TIMEOUT_DEFAULT_S) * 1_000
  const wanted = { emails, timeoutMs, ...asked }
  return spendOnce(services, request, reply, (attempt) =>
    request.caller.mode === 'test'
      ? validateInSandbox(services, request, wanted)
      : validateList(services, request, { ...wanted, attempt, features: readFeatures(asked) }),
  )
}

type Wanted = { emails: string[]; timeoutMs: number; policy?: string; max_age_s?: number; reference?: string }

/** In test mode no mail server is probed and nothing is charged. */
async function validateInSandbox(services: BulkDependencies, request: FastifyRequest, asked: Wanted): Promise<Spent> {
  const { emails, timeoutMs, reference } = asked
  const policy = await findNamedPolicy(services, request, asked.policy)
  const entries = await readEntries(emails, '')
  const answers = await Promise.all(
    entries.map(({ email }) => answerInSandbox(services, request.caller, { email, timeoutMs, reference })),
  )
  const ids = answers.map(({ id }) => id)
  const { overrides, creditsRemaining } = await readSandboxAccount(services, request.caller, emailsOf(entries))
  request.verdicts = countVerdicts(answers)
  const bill = { creditsUsed: 0, creditsRefunded: 0, livemode: false }
  const text = summarise({ request: asked, entries, ids, told: answers, overrides, policy, ...bill })
  return { status: 200, text, creditsCharged: 0, creditsRemaining }
}

/** Collected and joined ones were paid for by an earlier request. */
const PAID = new Set(['work', 'known'])

type Asked = Wanted & { attempt: Attempt; features: Features }

async function validateList(services: BulkDependencies, request: FastifyRequest, asked: Asked): Promise<Spent> {
  const { emails, timeoutMs, attempt, features, max_age_s: maxAgeS } = asked
  // Before anything is paid for: there may be no such policy.
  const policy = await findNamedPolicy(services, request, asked.policy)
  const entries = await readEntries(emails, attempt.subject, features)
  if (!attempt.resumed) await countTowardDomainLimit(services, request.caller.accountId, emailsOf(entries))
  const reference = asked.reference === undefined ? null : storable(asked.reference)
  const bought = await buyList(services, request.caller, entries, { ...attempt, timeoutMs, maxAgeS, reference })
  const told = await waitForList(services, bought, timeoutMs)

  const paidFor = entries.map((_, n) => n).filter((n) => PAID.has(bought.lots[n]?.kind ?? ''))
  const creditsRefunded = paidFor.filter((n) => told[n]?.refunded).length
  const overrides = await findOverridesOf(services, request.caller, emailsOf(entries))
  const bill = { creditsUsed: bought.creditsCharged, creditsRefunded, livemode: true }
  request.verdicts = countVerdicts(told)
  return {
    status: 200,
    text: summarise({ request: asked, entries, ids: idsOf(bought), told, overrides, policy, ...bill }),
    creditsCharged: bought.creditsCharged - creditsRefunded,
    creditsRemaining: bought.available + creditsRefunded,
  }
}

function emailsOf(entries: Entry[]): string[] {
  return entries.map(({ kept }) => kept)
}

function countVerdicts(told: Finding[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of told.map(({ result }) => result)) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** The result of one address. `retryAt` is set while the validation is deferred. */
type Finding = Pick<Told, 'result' | 'retryAt'>

/** Parallel arrays have one element for each entry. */
type Outcome = {
  request: Wanted
  entries: Entry[]
  ids: string[]
  told: Finding[]
  /** The account's override for the address. */
  overrides: (OverrideAction | null)[]
  policy: NamedPolicy | undefined
  creditsUsed: number
  creditsRefunded: number
  livemode: boolean
}

function summarise(outcome: Outcome): string {
  const { request, entries, told, creditsUsed, creditsRefunded, livemode } = outcome
  const count = (status: Status) => told.filter(({ result }) => result.status === status).length
  const summary: BulkSummary = {
    total: request.emails.length,
    valid_count: count('valid'),
    invalid_count: count('invalid'),
    risky_count: count('risky'),
    duplicate_count: request.emails.length - entries.length,
    credits_used: creditsUsed,
    results: entries.map((entry, n) => presentItem(outcome, entry, n)),
    unknown_count: count('unknown'),
    credits_refunded: creditsRefunded,
    credits_charged: creditsUsed - creditsRefunded,
    livemode,
    reference: request.reference ?? null,
  }
  return JSON.stringify(summary)
}

function presentItem({ ids, told, overrides, policy }: Outcome, { email, indexes }: Entry, n: number) {
  const { result: found, retryAt } = told[n] as Finding
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
    id: ids[n] ?? '',
    safe_to_send: result.safe_to_send,
    deliverability: result.deliverability,
    did_you_mean: result.did_you_mean,
    retry_at: timeOf(retryAt),
    indexes,
    ...(policy && { policy: decideByPolicy(policy, result) }),
  }
}
