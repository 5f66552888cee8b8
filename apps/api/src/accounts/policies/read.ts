import type { CreatePolicy, UpdatePolicy } from '@probity/contract/schemas/policies'
import type { NewPolicy, PolicyChange } from '@probity/database/accounts/policies'
import { storable } from '../../http/storable.ts'

/** Fifty rules with all that each may hold, and what JSON needs around them. */
export const POLICY_BYTES_MAX = 128 * 1024

export function readNewPolicy({ name, description = '', rules, default: fallback }: CreatePolicy): NewPolicy {
  return { name, description: storable(description), rules: rules.map(readReason), fallback: readReason(fallback) }
}

export function readChange({ description, rules, default: fallback }: UpdatePolicy): PolicyChange {
  return {
    ...(description !== undefined && { description: storable(description) }),
    ...(rules && { rules: rules.map(readReason) }),
    ...(fallback && { fallback: readReason(fallback) }),
  }
}

/** The reason is the only free text in a rule. */
function readReason<Part extends { reason: string }>(part: Part): Part {
  return { ...part, reason: storable(part.reason) }
}
