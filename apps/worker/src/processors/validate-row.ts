import { setTimeout as sleep } from 'node:timers/promises'
import { findSandboxCase, sandboxResult, unmappedResult } from '@probity/contract/sandbox'
import { unsettledResult } from '@probity/contract/standing-result'
import type { ClaimedBatch } from '@probity/database/batches'
import { type Address, type Malformed, parseAddress } from '@probity/engine/address/parse'
import { validate } from '@probity/engine/validate'
import { present } from '@probity/engine/verdict/present'
import type { Validation } from '@probity/engine/verdict/validation'
import { mannerOf } from '../manner-of.ts'
import { summarise } from '../meters.ts'
import type { Services } from '../services.ts'
import type { Outcome } from './sort-out.ts'

/** An address that was alone in its batch this often when a worker came down is given up; so is one that we failed at. */
const ALONE_MAX = 5
const FAILURES_MAX = 3
/** When an address that we failed at is tried again. */
const FAILED_WAIT_MS = 5_000
/** Our own pace may put addresses off for a moment this often. Longer waits use up their tries, as a server's would. */
const HOLDS_MAX = 1_000
const HOLD_MS_MAX = 60_000
/** When DNS or a mail server is asked again that did not answer; then that is the answer. Longer than a failure is remembered. */
const ASK_AGAIN_MS = [12_000, 12_000]

type Needed = Pick<Services, 'network' | 'histories' | 'mailboxes' | 'meters' | 'log'>

/** Validates one address of a batch. Looks its domain up twice: `network.domains` must remember it. */
export async function validateRow(
  { network, histories, mailboxes, meters, log }: Needed,
  batch: ClaimedBatch,
  email: string,
): Promise<Outcome> {
  if (batch.mode === 'test') return answerInSandbox(batch, email)
  if (batch.emails.length === 1 && batch.attempts > ALONE_MAX) {
    log.error({ jobId: batch.jobId, batch: batch.no }, 'an address was given up: workers come down over it')
    return { kind: 'final', result: unsettledResult(email, 'internal_error') }
  }
  const began = performance.now()
  const way = mailboxes.deskFor('list', email, batch)
  try {
    const askAgainMs = ASK_AGAIN_MS[batch.noResponses]
    const address = parseAddress(email)
    if (askAgainMs !== undefined && (await isDomainSilent(network, address))) {
      return { kind: 'silence', waitMs: askAgainMs, waitReason: 'dns_failed', egress: batch.egress }
    }
    const whole = { ...network, histories: histories.of(batch.accountId), ...(way && { mailboxes: way.desk }) }
    const validation = await validate(email, whole, { address, tries: batch.deferrals + 1, manner: mannerOf(batch) })
    const outcome = outcomeOf(validation, batch, { askAgainMs, egress: way?.egress ?? null })
    const ms = performance.now() - began
    meters.judged({ ...summarise(validation), asker: 'list', isFinal: outcome.kind === 'final', ms })
    return outcome
  } catch (error) {
    log.error({ err: error, jobId: batch.jobId, batch: batch.no, attempts: batch.attempts }, 'validation failed')
    if (batch.attempts >= FAILURES_MAX) return { kind: 'final', result: unsettledResult(email, 'internal_error') }
    return { kind: 'failed', waitMs: FAILED_WAIT_MS, waitReason: 'internal_error', egress: batch.egress }
  }
}

type Again = { askAgainMs: number | undefined; egress: string | null }

function outcomeOf(validation: Validation, batch: ClaimedBatch, { askAgainMs, egress }: Again): Outcome {
  const { retryAfterMs, mailbox } = validation
  const result = present(validation)
  const isUnanswered = mailbox?.finding.kind === 'unanswered' && mailbox.finding.why !== 'not_routable'
  if (retryAfterMs === null && isUnanswered && askAgainMs !== undefined) {
    return { kind: 'silence', waitMs: askAgainMs, waitReason: result.sub_status, egress: batch.egress }
  }
  if (retryAfterMs === null) return { kind: 'final', result }
  const isHeld = mailbox?.finding.kind === 'unanswered' && mailbox.finding.why === 'throttled'
  const delay = { waitMs: retryAfterMs, waitReason: result.sub_status }
  if (isHeld && retryAfterMs <= HOLD_MS_MAX && batch.throttles < HOLDS_MAX) {
    return { ...delay, kind: 'hold', egress: batch.egress }
  }
  return { ...delay, kind: 'again', egress }
}

/** As the api does it for one address; a row cannot refuse the request it came with, so it ends unknown. */
async function answerInSandbox(batch: ClaimedBatch, email: string): Promise<Outcome> {
  const found = findSandboxCase(email)
  if (found === undefined) return { kind: 'final', result: unmappedResult(email) }
  if (found.kind === 'verdict') return { kind: 'final', result: sandboxResult(email, found) }
  if (found.kind === 'problem') return { kind: 'final', result: unsettledResult(email, 'internal_error') }
  if (found.kind === 'greylisted' && batch.deferrals === 0) {
    return { kind: 'again', waitMs: found.forS * 1_000, waitReason: 'greylisted', egress: null }
  }
  if (found.kind === 'slow') await sleep(found.byS * 1_000)
  return { kind: 'final', result: sandboxResult(email, { subStatus: '' }) }
}

/** Whether DNS did not respond. A job has time, and a later lookup may find what this one did not. */
async function isDomainSilent({ domains }: Needed['network'], address: Address | Malformed): Promise<boolean> {
  if (address.kind !== 'address' || address.domain.kind !== 'name') return false
  const { facts } = await domains.lookUp(address.domain.ascii)
  return facts.mail.kind === 'unknown' || facts.spf === 'failed' || facts.dmarc === 'failed'
}
