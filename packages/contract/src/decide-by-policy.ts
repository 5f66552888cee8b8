import { BUILT_IN_POLICIES } from './data/policies.ts'
import type { OverrideAction } from './override.ts'
import type { PolicyDecision, PolicyRules, PolicyWhen } from './policies.ts'
import type { Trait } from './traits.ts'

/** What a policy goes by of a result. */
export type Judged = {
  status: string
  sub_status: string
  safe_to_send: boolean
  deliverability: number
  details: { is_disposable: boolean; is_role_based: boolean }
  flags: { is_free: boolean; is_privacy_relay: boolean; is_tagged: boolean; is_machine_generated: boolean }
  /** The account's override for the address. */
  override?: OverrideAction | null
}

export type NamedPolicy = PolicyRules & { name: string }

/**
 * Turns a result into a decision: the account's override if there is one, else the first rule that applies, and where none
 * does the default.
 */
export function decideByPolicy({ name, ...policy }: NamedPolicy, result: Judged): PolicyDecision {
  if (result.override) return { name, decision: result.override, reason: OVERRIDE_REASONS[result.override], rule: null }
  const place = policy.rules.findIndex(({ when }) => applies(when, result))
  const { decision, reason } = policy.rules[place] ?? policy.default
  return { name, decision, reason, rule: place < 0 ? null : place + 1 }
}

const OVERRIDE_REASONS: Record<OverrideAction, string> = {
  allow: 'The address is on the allowlist of the account.',
  block: 'The address is on the blocklist of the account.',
}

function applies(when: PolicyWhen, result: Judged): boolean {
  const { status, sub_status, traits, safe_to_send, deliverability_from = 0, deliverability_below = Infinity } = when
  return (
    isAmong(status, result.status) &&
    isAmong(sub_status, result.sub_status) &&
    (traits === undefined || traits.some((trait) => HAS_TRAIT[trait](result))) &&
    (safe_to_send === undefined || safe_to_send === result.safe_to_send) &&
    result.deliverability >= deliverability_from &&
    result.deliverability < deliverability_below
  )
}

/** Without a list anything will do. */
function isAmong(list: readonly string[] | undefined, value: string): boolean {
  return list === undefined || list.includes(value)
}

/** A new trait does not compile until it is read here. */
const HAS_TRAIT: Record<Trait, (result: Judged) => boolean> = {
  disposable: ({ details }) => details.is_disposable,
  role_based: ({ details }) => details.is_role_based,
  machine_generated: ({ flags }) => flags.is_machine_generated,
  free: ({ flags }) => flags.is_free,
  privacy_relay: ({ flags }) => flags.is_privacy_relay,
  tagged: ({ flags }) => flags.is_tagged,
}

export type BuiltInPolicy = PolicyRules & { description: string }

/** The policy of that name that every account has, if there is one. */
export function findBuiltInPolicy(name: string): BuiltInPolicy | undefined {
  return Object.hasOwn(BUILT_IN_POLICIES, name) ? (BUILT_IN_POLICIES as Record<string, BuiltInPolicy>)[name] : undefined
}
