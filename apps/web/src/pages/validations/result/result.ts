import type { JobResult, ValidationResult } from '@probity/sdk'

/** A result of a single validation, or of a list, which has fewer fields. */
export type AnyResult = ValidationResult | JobResult

/** The domain as the address spells it, because users do not recognize its A-labels. */
export function domainOf({ email }: AnyResult): string {
  return email.slice(email.lastIndexOf('@') + 1).trim()
}

/** No check ran, so the result has no confidence and no depth. */
export const NOT_STARTED = 'not_started'
