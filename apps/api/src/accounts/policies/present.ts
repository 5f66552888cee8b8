import type { PolicyRules } from '@probity/contract/constants/data/policies'
import type { BuiltInPolicy } from '@probity/contract/constants/policies'
import type { Policy } from '@probity/contract/schemas/policies'
import type { OwnPolicy } from '@probity/database/accounts/policies'

export function presentOwn({ id, name, description, rules, fallback }: OwnPolicy): Policy {
  return { id, name, description, is_built_in: false, ...presentRules({ rules, default: fallback }) }
}

export function presentBuiltIn(name: string, { description, ...policy }: BuiltInPolicy): Policy {
  return { id: null, name, description, is_built_in: true, ...presentRules(policy) }
}

/** Copied so that clients cannot mutate the built-in policies. */
function presentRules({ rules, default: fallback }: PolicyRules): Pick<Policy, 'rules' | 'default'> {
  return {
    rules: rules.map(({ when: { status, sub_status, traits, ...bounds }, decision, reason }) => ({
      when: {
        ...(status && { status: [...status] }),
        ...(sub_status && { sub_status: [...sub_status] }),
        ...(traits && { traits: [...traits] }),
        ...bounds,
      },
      decision,
      reason,
    })),
    default: { ...fallback },
  }
}
