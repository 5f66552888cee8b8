import { MODEL_PARAMETERS } from '@probity/contract/data/model-parameters'
import type { Trait } from '@probity/contract/traits'
import type { Account } from '@probity/sdk'
import { TRAIT_WORDS } from '../words/traits.ts'
import type { AnyResult } from './any-result.ts'

type Sending = Account['sending']

const LIST = new Intl.ListFormat('en-GB')

/** Why an address is safe to send to or is not, by what the organisation bears and leaves out now. */
export function sendReason(result: AnyResult, sending: Sending): string {
  const { status, deliverability: p, safe_to_send: safe, override } = result
  if (override === 'block') return 'Not safe to send: it is on your block list.'
  if (status === 'invalid') return 'Not safe to send: mail to it would bounce.'
  if (override === 'allow') return 'Safe to send: it is on your allow list.'
  const reasons = reasonsAgainst(result, sending)
  // A result was judged by the settings of its time.
  if (safe && reasons.length > 0) return `Safe to send by settings that have changed since: now ${reasons.join('; ')}.`
  if (safe) return `Safe to send: ${status === 'valid' ? '' : VOUCHED}${weighUp(p, sending)}.`
  if (reasons.length > 0) return `Not safe to send: ${reasons.join('; ')}.`
  if (status === 'valid') return 'Not safe to send by settings that have changed since. By those of now it would be.'
  return `Not safe to send: ${whyUnconfirmed(result)}.`
}

const VOUCHED = 'what was reported of mail to its domain vouches for it; '

function reasonsAgainst(result: AnyResult, sending: Sending): string[] {
  const leftOut = sending.excluded_traits.filter((trait) => hasTrait(result, trait))
  const those = LIST.format(leftOut.map((trait) => TRAIT_WORDS[trait].those))
  const isBelow = result.deliverability < sending.threshold
  const isOpen = UNTELLING.has(result.sub_status) && !hasCheck(result, 'domain_history') && !hasCheck(result, 'model')
  return [
    ...(leftOut.length > 0 ? [`you leave out ${those}`] : []),
    ...(isBelow ? [weighUp(result.deliverability, sending)] : []),
    ...(isBelow && isOpen && leftOut.length === 0 ? ['only outcomes reported for its domain could tell more'] : []),
  ]
}

/** Their servers say the same of every mailbox, however often they are asked. */
const UNTELLING = new Set(['catch_all', 'provider_unverifiable'])

/** What is borne beside what is to be expected. Where the figures would not show which is more, that is said instead. */
function weighUp(p: number, { threshold }: Sending): string {
  const isBelow = p < threshold
  const borne = inHundred(threshold, 4)
  const expected = inHundred(p, p > 0.9 ? 1 : 0)
  const bears = `you bear ${borne} ${borne === 1 ? 'bounce' : 'bounces'} in 100`
  if (isBelow ? expected > borne : expected < borne) {
    return `${bears}, and about ${expected} ${expected === 1 ? 'is' : 'are'} to be expected here`
  }
  return `${bears}, and ${isBelow ? 'slightly more' : 'no more'} are to be expected here`
}

function inHundred(chance: number, digits: number): number {
  return Number(((1 - chance) * 100).toFixed(digits))
}

/** The chance would do, but nothing vouches for this very mailbox. */
function whyUnconfirmed(result: AnyResult): string {
  if (hasCheck(result, 'model')) return 'at this provider only a mail server’s own word counts now'
  const few = `no mail server confirms the mailbox, and there are fewer than ${MODEL_PARAMETERS.safe_outcomes_min} outcomes reported for its domain`
  return hasCheck(result, 'domain_history') ? `${few}, or the settings have changed since` : few
}

function hasCheck({ evidence = [] }: AnyResult, wanted: string): boolean {
  return evidence.some(({ check }) => check === wanted)
}

function hasTrait(result: AnyResult, trait: Trait): boolean {
  const { flags } = result
  const { is_disposable, is_role_based } = 'domain' in result ? result : result.details
  const traits: Record<Trait, boolean> = {
    disposable: is_disposable,
    role_based: is_role_based,
    machine_generated: flags.is_machine_generated,
    free: flags.is_free,
    privacy_relay: flags.is_privacy_relay,
    tagged: flags.is_tagged,
  }
  return traits[trait]
}
