import { MODEL_PARAMETERS } from '@probity/contract/constants/data/model-parameters'
import type { Trait } from '@probity/contract/constants/validations'
import type { Account } from '@probity/sdk'
import { TRAIT_WORDS } from '../../../labels/traits.ts'
import type { AnyResult } from './result.ts'

type Sending = Account['sending']

const LIST = new Intl.ListFormat('en-GB')

/** Why an address is safe to send to or not, under the current bounce tolerance and exclusions of the account. */
export function sendReason(result: AnyResult, sending: Sending): string {
  const { status, deliverability: p, safe_to_send: safe, override } = result
  if (override === 'block') return 'Not safe to send: the address or its domain is on your blocklist.'
  if (status === 'invalid') return 'Not safe to send: mail to this address would bounce.'
  if (override === 'allow') return 'Safe to send: the address or its domain is on your allowlist.'
  const reasons = reasonsAgainst(result, sending)
  // `safe_to_send` was calculated with the settings at validation time.
  if (safe && reasons.length > 0)
    return `Safe to send under earlier settings. Not safe under your current settings: ${reasons.join('; ')}.`
  if (safe) return `Safe to send: ${status === 'valid' ? '' : CONFIRMED}${weighUp(p, sending)}.`
  if (reasons.length > 0) return `Not safe to send: ${reasons.join('; ')}.`
  if (status === 'valid') return 'Not safe to send under earlier settings. Safe under your current settings.'
  return `Not safe to send: ${whyUnconfirmed(result)}.`
}

const CONFIRMED = 'confirmed by outcomes reported for the domain; '

function reasonsAgainst(result: AnyResult, sending: Sending): string[] {
  const leftOut = sending.excluded_traits.filter((trait) => hasTrait(result, trait))
  const those = LIST.format(leftOut.map((trait) => TRAIT_WORDS[trait].those))
  const isBelow = result.deliverability < sending.threshold
  const isOpen = UNTELLING.has(result.sub_status) && !hasCheck(result, 'domain_history') && !hasCheck(result, 'model')
  return [
    ...(leftOut.length > 0 ? [`your settings exclude ${those}`] : []),
    ...(isBelow ? [weighUp(result.deliverability, sending)] : []),
    ...(isBelow && isOpen && leftOut.length === 0
      ? ['only outcomes reported for the domain can improve the estimate']
      : []),
  ]
}

/** Reasons for which a repeated probe gives the same reply for every mailbox. */
const UNTELLING = new Set(['catch_all', 'provider_unverifiable'])

/** The expected bounce rate against the bounce tolerance. If both round to the same figure, only the tolerance is named. */
function weighUp(p: number, { threshold }: Sending): string {
  const isBelow = p < threshold
  const tolerance = inHundred(threshold, 4)
  const expected = inHundred(p, p > 0.9 ? 1 : 0)
  const limit = `your bounce tolerance of ${tolerance}%`
  if (isBelow ? expected > tolerance : expected < tolerance) {
    return `the expected bounce rate is about ${expected}%, ${isBelow ? 'above' : 'within'} ${limit}`
  }
  return `the expected bounce rate is ${isBelow ? 'slightly above' : 'within'} ${limit}`
}

function inHundred(chance: number, digits: number): number {
  return Number(((1 - chance) * 100).toFixed(digits))
}

/** The deliverability is high enough, but nothing confirms this mailbox. */
function whyUnconfirmed(result: AnyResult): string {
  if (hasCheck(result, 'model')) return 'only an SMTP confirmation counts for this provider'
  const few = `no mail server confirmed the mailbox, and fewer than ${MODEL_PARAMETERS.safe_outcomes_min} outcomes are reported for the domain`
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
