import { type Evidence, evidenceItem } from './evidence.ts'

/** The decision of an account about an address, or about all addresses of a domain. */
export const OVERRIDE_ACTIONS = {
  allow: 'the account allows it: safe to send unless the verdict is `invalid`.',
  block: 'the account blocks it: never safe to send.',
} as const satisfies Record<string, string>

export type OverrideAction = keyof typeof OVERRIDE_ACTIONS
export const OVERRIDE_ACTION_NAMES = Object.keys(OVERRIDE_ACTIONS) as OverrideAction[]

/**
 * The targets that cover an address, the most specific first: the address and its domain. Takes the key by which two spellings are
 * the same address; the key of a text that is no address begins with a space and has no targets.
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
