import type { JobResult, ValidationResult } from '@probity/sdk'

/** A result of a single validation, or one of a list, which has less to it. */
export type AnyResult = ValidationResult | JobResult

/** The domain as the address spells it: people know it by that and not by its A-labels. */
export function domainOf({ email }: AnyResult): string {
  return email.slice(email.lastIndexOf('@') + 1).trim()
}
