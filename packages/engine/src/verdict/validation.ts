import type { Evidence } from '@probity/contract/constants/validations'
import type { Address, Malformed } from '../address/parse.ts'
import type { DomainClass } from '../domain/domain-lists.ts'
import type { DomainFacts } from '../domain/facts.ts'
import type { ProbeResult } from '../smtp/probe/result.ts'
import type { Verdict } from './conclude.ts'

/** The findings about one address. */
export type Found = {
  email: string
  address: Address | Malformed
  isRole: boolean
  didYouMean: string | null
  facts?: DomainFacts
  classes?: DomainClass
  mailbox?: ProbeResult
  /** Null when the verdict is final. */
  retry: Retry | null
  evidence: Evidence[]
}

/** Verdict on one address with its findings. */
export type Validation = Found & { verdict: Verdict }

/** When a further attempt may settle what this one could not. */
export type Retry =
  /** `deferred`: by the mail server; `throttled`: by our rate limiter. */
  | { kind: 'deferred' | 'throttled'; afterMs: number }
  | { kind: 'no_response'; of: 'dns' | 'mail_server'; afterMs: number }

/** The delays after attempts without a response; then no response is final. Longer than a failed lookup is cached. */
const NO_RESPONSE_DELAYS_MS = [12_000, 12_000]

/** The same retry, so many times sooner. A delay of the provider's schedule is scaled in its table. */
export function scaleRetry(retry: Retry | null, timeFactor = 1): Retry | null {
  return retry?.kind === 'no_response' ? { ...retry, afterMs: retry.afterMs / timeFactor } : retry
}

/** The retry after a DNS lookup without a response; null if there was one, or if no response is final. */
export function retryUnresponsiveDns({ mail, spf, dmarc }: DomainFacts, noResponses: number | undefined): Retry | null {
  const isComplete = mail.kind !== 'unknown' && spf !== 'failed' && dmarc !== 'failed'
  return isComplete ? null : retryNoResponse('dns', noResponses)
}

/** The retry after a probe. `afterMs` is the delay by the provider's retry schedule; null if it has none for this result. */
export function retryProbe(
  { finding }: ProbeResult,
  afterMs: number | null,
  noResponses: number | undefined,
): Retry | null {
  const failure = finding.kind === 'unanswered' ? finding.why : null
  if (afterMs !== null) return { kind: failure === 'throttled' ? 'throttled' : 'deferred', afterMs }
  return failure === null || failure === 'not_routable' ? null : retryNoResponse('mail_server', noResponses)
}

function retryNoResponse(of: 'dns' | 'mail_server', noResponses: number | undefined): Retry | null {
  const afterMs = noResponses === undefined ? undefined : NO_RESPONSE_DELAYS_MS[noResponses]
  return afterMs === undefined ? null : { kind: 'no_response', of, afterMs }
}
