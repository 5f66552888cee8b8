import { setTimeout as sleep } from 'node:timers/promises'
import { findSandboxCase } from '@probity/contract/constants/sandbox'
import { pendingResult, sandboxResult, unmappedResult } from '@probity/contract/schemas/validations/stored-result'
import type { ClaimedBatch } from '@probity/database/jobs/batches'
import { validate } from '@probity/engine/validate'
import { present } from '@probity/engine/verdict/present'
import type { Validation } from '@probity/engine/verdict/validation'
import { summarise } from '../server/metrics.ts'
import type { Services } from '../server/services.ts'
import { optionsOf } from '../validations/engine-input.ts'
import type { Outcome } from './partition-outcomes.ts'

/** An address that was alone in its batch in this many worker crashes, or that failed this often, is skipped. */
const ALONE_MAX = 5
const FAILURES_MAX = 3
/** Wait before an address is retried after an internal error. */
const FAILED_WAIT_MS = 5_000
/** How often our rate limiter may defer an address briefly. Longer waits count as attempts, like deferrals by the server. */
const HOLDS_MAX = 1_000
const HOLD_MS_MAX = 60_000

type Needed = Pick<Services, 'network' | 'feedbackHistory' | 'probers' | 'meters' | 'log'>

/** Validates one address of a batch. */
export async function validateRow(
  { network, feedbackHistory, probers, meters, log }: Needed,
  batch: ClaimedBatch,
  email: string,
): Promise<Outcome> {
  if (batch.mode === 'test') return answerInSandbox(batch, email)
  if (batch.emails.length === 1 && batch.attempts > ALONE_MAX) {
    log.error({ jobId: batch.jobId, batch: batch.no }, 'poison address skipped after repeated worker crashes')
    return { kind: 'final', result: pendingResult(email, 'internal_error') }
  }
  const began = performance.now()
  const chosen = probers.proberFor('list', email, batch)
  try {
    const whole = {
      ...network,
      histories: feedbackHistory.of(batch.accountId),
      ...(chosen && { prober: chosen.prober }),
    }
    const attempt = { attempts: batch.deferrals + 1, noResponses: batch.noResponses, options: optionsOf(batch) }
    const validation = await validate(email, whole, attempt)
    const outcome = outcomeOf(validation, batch, chosen?.egress ?? null)
    if (isWithoutDns(validation)) return outcome // no validation took place
    const ms = performance.now() - began
    meters.judged({ ...summarise(validation), asker: 'list', isFinal: outcome.kind === 'final', ms })
    return outcome
  } catch (error) {
    log.error({ err: error, jobId: batch.jobId, batch: batch.no, attempts: batch.attempts }, 'validation failed')
    if (batch.attempts >= FAILURES_MAX) return { kind: 'final', result: pendingResult(email, 'internal_error') }
    return { kind: 'failed', waitMs: FAILED_WAIT_MS, waitReason: 'internal_error', egress: batch.egress }
  }
}

function isWithoutDns({ retry }: Validation): boolean {
  return retry?.kind === 'no_response' && retry.of === 'dns'
}

function outcomeOf(validation: Validation, batch: ClaimedBatch, egress: string | null): Outcome {
  const { retry } = validation
  const result = present(validation)
  if (retry === null) return { kind: 'final', result }
  const waitMs = retry.afterMs
  const waitReason = isWithoutDns(validation) ? 'dns_failed' : result.sub_status
  if (retry.kind === 'no_response') return { kind: 'silence', waitMs, waitReason, egress: batch.egress }
  if (retry.kind === 'throttled' && waitMs <= HOLD_MS_MAX && batch.throttles < HOLDS_MAX) {
    return { kind: 'hold', waitMs, waitReason, egress: batch.egress }
  }
  return { kind: 'again', waitMs, waitReason, egress }
}

/** Validates as the API does for one address. A row cannot be rejected like a request, so it ends unknown. */
async function answerInSandbox(batch: ClaimedBatch, email: string): Promise<Outcome> {
  const found = findSandboxCase(email)
  if (found === undefined) return { kind: 'final', result: unmappedResult(email) }
  if (found.kind === 'verdict') return { kind: 'final', result: sandboxResult(email, found) }
  if (found.kind === 'problem') return { kind: 'final', result: pendingResult(email, 'internal_error') }
  if (found.kind === 'greylisted' && batch.deferrals === 0) {
    return { kind: 'again', waitMs: found.forS * 1_000, waitReason: 'greylisted', egress: null }
  }
  if (found.kind === 'slow') await sleep(found.byS * 1_000)
  return { kind: 'final', result: sandboxResult(email, { subStatus: '' }) }
}
