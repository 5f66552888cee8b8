import { BUILT_IN_POLICIES, DECISIONS, type Decision, type PolicyRules, type PolicyWhen } from './data/policies.ts'
import { type Evidence, evidenceItem, type Trait } from './validations.ts'

/** The decision of an account about an address, or about all addresses of a domain. */
export const OVERRIDE_ACTIONS = {
  allow: 'the account allows it: safe to send unless the verdict is `invalid`.',
  block: 'the account blocks it: never safe to send.',
} as const satisfies Record<string, string>

export type OverrideAction = keyof typeof OVERRIDE_ACTIONS
export const OVERRIDE_ACTION_NAMES = Object.keys(OVERRIDE_ACTIONS) as OverrideAction[]

/**
 * The targets that cover an address, the most specific first: the address and its domain. Takes the dedupe key of the address; the key of a
 * text that is not an address starts with a space and has no targets.
 */
export function overrideTargets(key: string): string[] {
  const at = key.lastIndexOf('@')
  return key.startsWith(' ') || at < 1 ? [] : [key, key.slice(at + 1)]
}

/** The action for an address: an override of the address takes precedence over one of its domain. */
export function resolveOverride(key: string, found: ReadonlyMap<string, OverrideAction>): OverrideAction | null {
  for (const target of overrideTargets(key)) {
    const action = found.get(target)
    if (action) return action
  }
  return null
}

type Answer = { status: string; safe_to_send: boolean; evidence: Evidence[] }

/**
 * A result with the account's override applied. The verdict stays: an override is a decision, not a finding. Blocked addresses are
 * never safe to send; allowed ones are, unless mail to them is known to bounce.
 */
export function withOverride<T extends Answer>(result: T, override: OverrideAction): T & { override: OverrideAction } {
  const safe_to_send = override === 'allow' && result.status !== 'invalid'
  return { ...result, override, safe_to_send, evidence: [...result.evidence, evidenceOf(override)] }
}

function evidenceOf(override: OverrideAction): Evidence {
  return evidenceItem('override', override, DETAILS[override])
}

const DETAILS: Record<OverrideAction, string> = {
  allow: 'The address or its domain is on the allowlist of the account.',
  block: 'The address or its domain is on the blocklist of the account.',
}

/** Per account, allowed and blocked targets together. */
export const OVERRIDES_MAX = 10_000
/** Per request. */
export const OVERRIDES_AT_ONCE_MAX = 1_000

export const DECISION_NAMES = Object.keys(DECISIONS) as Decision[]

/** Per account; built-in policies do not count. */
export const POLICIES_MAX = 50
export const POLICY_RULES_MAX = 50

/** Decision of a policy about one result. `rule` counts from 1; it is null if no rule matched or an override decided. */
export type PolicyDecision = { name: string; decision: string; reason: string; rule: number | null }

/** The fields of a result that policies use. */
export type PolicyInput = {
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

/** Turns a result into a decision: the account's override if there is one, else the first matching rule, else the default. */
export function decideByPolicy({ name, ...policy }: NamedPolicy, result: PolicyInput): PolicyDecision {
  if (result.override) return { name, decision: result.override, reason: OVERRIDE_REASONS[result.override], rule: null }
  const place = policy.rules.findIndex(({ when }) => applies(when, result))
  const { decision, reason } = policy.rules[place] ?? policy.default
  return { name, decision, reason, rule: place < 0 ? null : place + 1 }
}

const OVERRIDE_REASONS: Record<OverrideAction, string> = {
  allow: 'The address is on the allowlist of the account.',
  block: 'The address is on the blocklist of the account.',
}

function applies(when: PolicyWhen, result: PolicyInput): boolean {
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

/** Without a list every value matches. */
function isAmong(list: readonly string[] | undefined, value: string): boolean {
  return list === undefined || list.includes(value)
}

/** A new trait does not compile until it is evaluated here. */
const HAS_TRAIT: Record<Trait, (result: PolicyInput) => boolean> = {
  disposable: ({ details }) => details.is_disposable,
  role_based: ({ details }) => details.is_role_based,
  machine_generated: ({ flags }) => flags.is_machine_generated,
  free: ({ flags }) => flags.is_free,
  privacy_relay: ({ flags }) => flags.is_privacy_relay,
  tagged: ({ flags }) => flags.is_tagged,
}

export type BuiltInPolicy = PolicyRules & { description: string }

/** The built-in policy of that name, if there is one. */
export function findBuiltInPolicy(name: string): BuiltInPolicy | undefined {
  return Object.hasOwn(BUILT_IN_POLICIES, name) ? (BUILT_IN_POLICIES as Record<string, BuiltInPolicy>)[name] : undefined
}
