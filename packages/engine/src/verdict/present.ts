import { SHORTENED, shorten } from '@probity/contract/constants/text'
import type { Evidence } from '@probity/contract/constants/validations'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { partsOf } from '../address/cached-result.ts'
import { STRING_MODEL } from '../address/plausibility.ts'
import type { ProbeResult, SkipReason } from '../smtp/probe/result.ts'
import type { DeliverabilityEstimate } from './deliverability.ts'
import type { Validation } from './validation.ts'

/** A validation as an API result. */
export function present(validation: Validation): StoredResult {
  const { email, address, verdict, isRole, didYouMean, facts, classes, mailbox, evidence } = validation
  const isAddress = address.kind === 'address'
  const mail = facts?.mail
  return {
    email,
    status: verdict.status,
    sub_status: verdict.subStatus,
    confidence: verdict.confidence,
    deliverability: verdict.estimate.p,
    depth: depthOf(mailbox),
    safe_to_send: verdict.safeToSend,
    is_valid: verdict.isValid,
    details: {
      syntax_valid: isAddress,
      dns_valid: mail?.kind === 'hosts',
      smtp_valid: mailbox?.finding.kind === 'accepted',
      smtp_code: mailbox && 'code' in mailbox.finding ? mailbox.finding.code : 0,
      domain: isAddress && address.domain.kind === 'name' ? address.domain.ascii : '',
      provider: facts?.provider ?? '',
      is_disposable: classes?.isDisposable ?? false,
      is_role_based: isRole,
      has_spf: facts?.spf === 'found',
      has_dmarc: facts?.dmarc === 'found',
      mx: mail?.kind === 'hosts' ? mail.hosts.map(({ name, preference }) => ({ host: name, preference })) : [],
      ...partsOf(address),
    },
    catchall: presentCatchall(mailbox),
    ai_enhancement: presentModel(verdict.estimate),
    did_you_mean: didYouMean,
    flags: {
      is_free: classes?.isFree ?? false,
      is_privacy_relay: classes?.isPrivacyRelay ?? false,
      is_tagged: isAddress && address.tag !== null,
      is_machine_generated: verdict.isMachineGenerated,
    },
    evidence: limitEvidence(evidence),
  }
}

/** The depth of the validation. A cached result of an earlier probe counts as a reply of the mail server. */
function depthOf(mailbox: ProbeResult | undefined): StoredResult['depth'] {
  if (mailbox === undefined) return 'dns'
  return mailbox.finding.kind === 'unasked' && SKIPPED_WITHOUT_REPLY.has(mailbox.finding.why) ? 'dns' : 'smtp'
}

const SKIPPED_WITHOUT_REPLY = new Set<SkipReason>([
  'provider_unverifiable',
  'unencodable',
  'no_egress',
  'opted_out',
  'domain_limit',
])

const METHOD = `${STRING_MODEL.name}-${STRING_MODEL.version}`

function presentModel({ isModelUsed }: DeliverabilityEstimate): StoredResult['ai_enhancement'] {
  return isModelUsed ? { used: true, method: METHOD } : { used: false, method: null }
}

/** Not 1, because a server may treat two recipients differently for reasons that we cannot observe. */
const CATCHALL_CONFIDENCE = 0.98

function presentCatchall(mailbox: ProbeResult | undefined): StoredResult['catchall'] {
  if (mailbox === undefined || mailbox.acceptAll === 'untested') return { is_catchall: false, confidence: null }
  return { is_catchall: mailbox.acceptAll === 'yes', confidence: CATCHALL_CONFIDENCE }
}

/**
 * Bytes that the evidence of one result has at most, as JSON. It is stored with every result and cached in Redis, and mail servers write
 * part of it. With the item that an override of the account adds it stays within 4 KiB.
 */
export const EVIDENCE_BYTES_MAX = 3_840

const DETAIL_LENGTH_MAX = 2_048

/** The evidence with its longest details shortened until it is within the limit. No item is removed: `log_odds` must add up. */
export function limitEvidence(evidence: Evidence[]): Evidence[] {
  if (mostBytesOf(evidence) <= EVIDENCE_BYTES_MAX) return evidence
  let limited = evidence
  for (let length = DETAIL_LENGTH_MAX; sizeOf(limited) > EVIDENCE_BYTES_MAX && length > SHORTENED.length; length /= 2) {
    limited = evidence.map((item) => ({ ...item, detail: shorten(item.detail, length) }))
  }
  return limited
}

function sizeOf(evidence: Evidence[]): number {
  return new TextEncoder().encode(JSON.stringify(evidence)).length
}

/** Bytes of an item without the texts of check, outcome and detail: names of fields, source, a time and two numbers. */
const ITEM_BYTES_MAX = 190
/** A control character is written as six: \u0000. No other takes more. */
const UNIT_BYTES_MAX = 6
/** Characters that are one byte each in JSON. */
const PLAIN = /^[ !#-[\]-~]*$/

/** At least the bytes that the evidence has as JSON, without writing it: most results are far below the limit. */
function mostBytesOf(evidence: Evidence[]): number {
  let sum = 2
  for (const { check, outcome, detail } of evidence) {
    sum += ITEM_BYTES_MAX + check.length + outcome.length + detail.length * (PLAIN.test(detail) ? 1 : UNIT_BYTES_MAX)
  }
  return sum
}
