import type { AccountOptions } from '@probity/database/accounts/keys'
import type { ValidationOptions } from '@probity/engine/verdict/options'

/** How whoever pays for a validation wants it judged. */
export function mannerOf({ ai, catchall, sendThreshold, excludedTraits }: AccountOptions): ValidationOptions {
  return { ai, catchall, threshold: sendThreshold, excludedTraits }
}
