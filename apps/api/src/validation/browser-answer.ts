import { randomUUID } from 'node:crypto'
import { BASE_RATES } from '@probity/contract/data/model-parameters'
import { decideByPolicy, type NamedPolicy } from '@probity/contract/decide-by-policy'
import type { Listed } from '@probity/contract/listed'
import type { BrowserAnswer } from '@probity/contract/publishable'
import type { StandingResult } from '@probity/contract/standing-result'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuseUnpaid } from '../door/spend-once.ts'
import { getPolicy, unknownPolicy } from '../policies/find-named.ts'
import type { Services } from '../services.ts'
import { keyWith, readFeatures } from './features.ts'
import { askListed } from './own-lists.ts'
import { answerInSandbox } from './sandbox.ts'
import { storable } from './storable.ts'
import { tellJoined, tellPaid } from './verdict.ts'

type Asked = { email: string; timeout?: number; policy?: string }

/** Nobody waits long at a form, and DNS does not take long either. */
const TIMEOUT_DEFAULT_S = 5

/**
 * Answers a page: a decision, and nothing that tells whether a mailbox exists. No mail server is asked, and a recent result is not
 * looked for either, since how fast it came would tell that somebody else had asked.
 */
export async function answerBrowser(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: Asked,
): Promise<FastifyReply> {
  const { caller } = request
  const isLive = caller.mode === 'live'
  const policy = await getPolicy(services, request, chooseAllowed(request, asked.policy))
  const result = isLive ? await buyResult(services, request, asked) : await lookInSandbox(services, request, asked)
  request.verdict = result.status
  request.finding = { subStatus: result.sub_status, validationId: null }
  const [listed = null] = await askListed(services, caller, [asked.email])
  const { decision, reason } = listed ? decideByList(policy, listed) : decideByPolicy(policy, result)
  const answer: BrowserAnswer = { decision, reason, did_you_mean: result.did_you_mean, livemode: isLive }
  return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(answer))
}

/** The policy that the page names, else the first on the key. One that is not on the key is answered like one that does not exist. */
function chooseAllowed(request: FastifyRequest, named: string | undefined): string {
  const { allowedPolicies } = request.caller
  const name = named ?? allowedPolicies[0]
  if (name === undefined || !allowedPolicies.includes(name)) throw unknownPolicy(request)
  return name
}

/**
 * What is on a list is decided by it, in words that do not say so: who is on an allow list may be a customer, and that is nobody's
 * business who can open the page.
 */
function decideByList({ default: usual }: NamedPolicy, listed: Listed): Pick<BrowserAnswer, 'decision' | 'reason'> {
  return { decision: listed, reason: usual.decision === listed ? usual.reason : LISTED_REASONS[listed] }
}

const LISTED_REASONS: Record<Listed, string> = {
  allow: 'Nothing speaks against it.',
  block: 'This address is not taken here.',
}

/** One credit, as for every validation. Not under an idempotency key: those are the account's own, and their answers are whole. */
async function buyResult(services: Services, { caller }: FastifyRequest, asked: Asked): Promise<StandingResult> {
  const { email, timeout = TIMEOUT_DEFAULT_S } = asked
  const { accountId, id: keyId, retentionDays } = caller
  const features = { ...readFeatures(asked), mailbox: false }
  const kept = storable(email)
  const emailKey = keyWith(dedupeKey(kept), features)
  const row = { id: randomUUID(), email: kept, emailKey, ...features, timeoutMs: timeout * 1_000 }
  const receipt = await services.desk.pay({ accountId, keyId, retentionDays }, { kind: 'work', row })
  switch (receipt.kind) {
    case 'unpaid':
      throw refuseUnpaid(receipt.posting)
    case 'collected':
      return receipt.result
    case 'joined':
      return (await tellJoined(services, { ref: receipt.ref, email, timeout })).result
    case 'paid_work':
      return (await tellPaid(services, { ref: receipt.ref, email, timeout })).result
    case 'paid_recent':
      throw new Error('nothing recent was bought')
  }
}

/** What can be said of an address without asking its mail server. */
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

/** As the world would answer, where no mail server is asked: the sandbox must not teach what never happens. */
async function lookInSandbox(services: Services, { caller }: FastifyRequest, asked: Asked): Promise<StandingResult> {
  const { email, timeout = TIMEOUT_DEFAULT_S } = asked
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
