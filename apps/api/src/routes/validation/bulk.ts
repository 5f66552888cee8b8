import { BulkRequest, BulkSummary } from '@probity/contract/bulk-validation'
import { decideByPolicy, type NamedPolicy } from '@probity/contract/decide-by-policy'
import { type Listed, withListing } from '@probity/contract/listed'
import type { StandingResult } from '@probity/contract/standing-result'
import type { Status } from '@probity/contract/status'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Attempt, type Spent, spendOnce } from '../../door/spend-once.ts'
import { BODY_PROBLEMS, operation, SPENDING_PROBLEMS } from '../../openapi.ts'
import { findNamedPolicy } from '../../policies/find-named.ts'
import type { Route } from '../../route.ts'
import type { Services } from '../../services.ts'
import { countTowardDomainLimit } from '../../validation/domain-limit.ts'
import { type Entry, readEntries } from '../../validation/entries.ts'
import { type Features, readFeatures } from '../../validation/features.ts'
import { buyList, waitForList } from '../../validation/list.ts'
import { askListed } from '../../validation/own-lists.ts'
import { answerInSandbox } from '../../validation/sandbox.ts'

const TIMEOUT_DEFAULT_S = 20
/** A thousand addresses of a thousand bytes, with what JSON needs around them. */
const BODY_BYTES_MAX = 1024 * 1024 + 16 * 1024

/** Up to a thousand addresses in one request, asked together by their domains. */
export const validateBulk: Route = async (app, services) => {
  const schema = operation(
    {
      id: 'validateBulk',
      tag: 'Validation',
      summary: 'Validate a list of addresses',
      description:
        'Waits for the verdicts, up to `timeout` seconds. Addresses that are not settled by then are `unknown` and worked on further: the next request for one of them collects its verdict, free, once. Addresses that no worker has claimed by then are withdrawn and refunded: `unknown` with `not_started`. Each unique address costs one credit, or the whole list is refused; repeated ones cost nothing. Credits are given back for addresses that end `unknown` where the plan says so.',
      problems: ['domain_limit', ...BODY_PROBLEMS, ...SPENDING_PROBLEMS],
    },
    { body: BulkRequest, response: { 200: BulkSummary } },
  )
  // The list takes one of the account's places; what is recent of it is looked for later, all at once.
  const config = {
    scope: 'bulk',
    loadClass: 'list',
    isPublic: true,
    waitsS: TIMEOUT_DEFAULT_S,
    asksAbout: () => ({ email: '' }),
  } as const
  app.post('/validation/bulk', { schema, config, bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
    await answer(services, request, reply, request.body)
    return reply
  })
}

function answer(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  { emails, timeout, ...asked }: BulkRequest,
) {
  const timeoutMs = (timeout ?? TIMEOUT_DEFAULT_S) * 1_000
  if (request.caller.mode === 'test') return sendSandbox(services, request, reply, { emails, timeoutMs, ...asked })
  return spendOnce(services, request, reply, (attempt) =>
    validateList(services, request, { emails, timeoutMs, ...asked, attempt, features: readFeatures(asked) }),
  )
}

type Wanted = { emails: string[]; timeoutMs: number; policy?: string }

/** In test mode nothing is asked, nothing is kept and nothing is spent. */
async function sendSandbox(services: Services, request: FastifyRequest, reply: FastifyReply, asked: Wanted) {
  const { emails, timeoutMs } = asked
  const policy = await findNamedPolicy(services, request, asked.policy)
  const entries = await readEntries(emails, '')
  const answers = await Promise.all(
    entries.map(({ email }) => answerInSandbox(services, request.caller, { email, timeoutMs })),
  )
  const results = answers.map(({ result }) => result)
  const listed = await askListed(services, request.caller, emailsOf(entries))
  request.verdicts = countVerdicts(results)
  reply.headers({ 'credits-charged': '0', 'content-type': 'application/json; charset=utf-8' })
  const bill = { creditsUsed: 0, creditsRefunded: 0, livemode: false }
  return reply.send(summarise({ total: emails.length, entries, results, listed, policy, ...bill }))
}

/** Collected and joined ones were paid for by an earlier request. */
const PAID = new Set(['work', 'known'])

type Asked = Wanted & { attempt: Attempt; features: Features }

async function validateList(services: Services, request: FastifyRequest, asked: Asked): Promise<Spent> {
  const { emails, timeoutMs, attempt, features } = asked
  // Before anything is paid for: there may be no such policy.
  const policy = await findNamedPolicy(services, request, asked.policy)
  const entries = await readEntries(emails, attempt.subject, features)
  if (!attempt.resumed) await countTowardDomainLimit(services, request.caller.accountId, emailsOf(entries))
  const bought = await buyList(services, request.caller, entries, { ...attempt, timeoutMs })
  const told = await waitForList(services, bought, timeoutMs)

  const paidFor = entries.map((_, n) => n).filter((n) => PAID.has(bought.lots[n]?.kind ?? ''))
  const creditsRefunded = paidFor.filter((n) => told[n]?.refunded).length
  const results = told.map(({ result }) => result)
  const listed = await askListed(services, request.caller, emailsOf(entries))
  const bill = { creditsUsed: bought.creditsCharged, creditsRefunded, livemode: true }
  request.verdicts = countVerdicts(results)
  const creditsUsed = bought.creditsCharged
  return {
    status: 200,
    text: summarise({ total: emails.length, entries, results, listed, policy, ...bill }),
    creditsCharged: creditsUsed - creditsRefunded,
    creditsRemaining: bought.available + creditsRefunded,
  }
}

function emailsOf(entries: Entry[]): string[] {
  return entries.map(({ kept }) => kept)
}

function countVerdicts(results: StandingResult[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of results) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

type Outcome = {
  total: number
  entries: Entry[]
  results: StandingResult[]
  /** Of each entry: which of the account's own lists it is on. */
  listed: (Listed | null)[]
  policy: NamedPolicy | undefined
  creditsUsed: number
  creditsRefunded: number
  livemode: boolean
}

function summarise(outcome: Outcome): string {
  const { total, entries, results, listed, policy, creditsUsed, creditsRefunded, livemode } = outcome
  const count = (status: Status) => results.filter((result) => result.status === status).length
  const summary: BulkSummary = {
    total,
    valid_count: count('valid'),
    invalid_count: count('invalid'),
    risky_count: count('risky'),
    duplicate_count: total - entries.length,
    credits_used: creditsUsed,
    results: results.map((result, n) => ({
      email: entries[n]?.email ?? '',
      status: result.status,
      is_valid: result.is_valid,
      confidence: result.confidence,
      sub_status: result.sub_status,
      depth: result.depth,
      listed: listed[n] ?? null,
      ...(policy && { policy: decideByPolicy(policy, listed[n] ? withListing(result, listed[n]) : result) }),
    })),
    unknown_count: count('unknown'),
    credits_refunded: creditsRefunded,
    livemode,
  }
  return JSON.stringify(summary)
}
