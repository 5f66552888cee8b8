import { MODEL_PARAMETERS } from '@probity/contract/constants/data/model-parameters'
import type { Trait } from '@probity/contract/constants/validations'
import type { Account } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { TRAIT_WORDS } from '../../../labels/traits.ts'
import { accountQuery, useScene } from '../../../session/workspace.ts'
import type { Tone } from '../../../ui/Badge.tsx'
import { type AnyResult, NOT_STARTED } from './result.ts'

type Sending = Account['sending']

/** What to do with an address, and why; empty if the verdict says it. The only recommendation of a result: tables, drawers and pages show the same. */
export type Recommendation = { word: string; tone: Tone; why: string }

const SEND = { word: 'Safe to send', tone: 'valid' } as const
const AVOID = { word: 'Not safe to send', tone: 'risky' } as const
const NEVER = { word: 'Do not send', tone: 'invalid' } as const
const AGAIN = { word: 'Validate again', tone: 'unknown' } as const

/**
 * Derived from `safe_to_send`, which was calculated with the settings at validation time, and the current bounce tolerance and
 * exclusions of the account. Where they differ, the recommendation is to validate again. `sending` is undefined until it is loaded.
 */
export function recommend(result: AnyResult, sending: Sending | undefined): Recommendation {
  const { status, sub_status: subStatus, deliverability: p, safe_to_send: safe, override } = result
  if (subStatus === NOT_STARTED) return { ...AGAIN, why: '' }
  if ('retry_at' in result && result.retry_at !== null) return { ...AGAIN, why: 'The final result is pending.' }
  if (override === 'block') return { ...NEVER, why: 'The address or its domain is on your blocklist.' }
  if (status === 'invalid') return { ...NEVER, why: '' }
  if (override === 'allow' && safe) return { ...SEND, why: 'The address or its domain is on your allowlist.' }
  if (sending === undefined) return { ...(safe ? SEND : AVOID), why: '' }
  const reasons = reasonsAgainst(result, sending)
  if (safe && reasons.length > 0) {
    return { ...AGAIN, why: `Safe under earlier settings, but now ${reasons.join('; ')}.` }
  }
  if (safe) return { ...SEND, why: sentence(`${status === 'valid' ? '' : CONFIRMED}${weighUp(p, sending)}`) }
  if (reasons.length > 0) return { ...AVOID, why: sentence(reasons.join('; ')) }
  if (status === 'valid') {
    return { ...AGAIN, why: 'Not safe under earlier settings. Your current settings allow the address.' }
  }
  return { ...AVOID, why: sentence(whyUnconfirmed(result)) }
}

/** Recommends with the settings of the account that is open. */
export function useRecommend(): (result: AnyResult) => Recommendation {
  const { data: account } = useQuery(accountQuery(useScene()))
  return (result) => recommend(result, account?.sending)
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

const LIST = new Intl.ListFormat('en-GB')

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
