import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { partsOf } from '../address/cached-result.ts'
import { STRING_MODEL } from '../address/plausibility.ts'
import type { ProbeResult, SkipReason } from '../smtp/probe/result.ts'
import type { DeliverabilityEstimate } from './deliverability.ts'
import { limitEvidence } from './limit-evidence.ts'
import type { Validation } from './validation.ts'

/** A validation in the words of the interface. */
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

/** How far it went. What a mail server is known to have said before counts as its word. */
function depthOf(mailbox: ProbeResult | undefined): StoredResult['depth'] {
  if (mailbox === undefined) return 'dns'
  return mailbox.finding.kind === 'unasked' && WITHOUT_ITS_WORD.has(mailbox.finding.why) ? 'dns' : 'smtp'
}

const WITHOUT_ITS_WORD = new Set<SkipReason>(['provider_unverifiable', 'unencodable', 'no_egress', 'opted_out'])

const METHOD = `${STRING_MODEL.name}-${STRING_MODEL.version}`

function presentModel({ isModelUsed }: DeliverabilityEstimate): StoredResult['ai_enhancement'] {
  return isModelUsed ? { used: true, method: METHOD } : { used: false, method: null }
}

/** How sure the test makes us: a server may answer two recipients differently for reasons that we do not see. */
const CATCHALL_CONFIDENCE = 0.98

function presentCatchall(mailbox: ProbeResult | undefined): StoredResult['catchall'] {
  if (mailbox === undefined || mailbox.acceptAll === 'untested') return { is_catchall: false, confidence: null }
  return { is_catchall: mailbox.acceptAll === 'yes', confidence: CATCHALL_CONFIDENCE }
}
