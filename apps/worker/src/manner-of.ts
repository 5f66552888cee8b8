import type { AccountManner } from '@probity/database/accounts/keys'
import type { ValidationOptions } from '@probity/engine/verdict/options'

/** How whoever pays for a validation wants it judged. */
export function mannerOf({ ai, catchall, sendThreshold, excludedTraits }: AccountManner): ValidationOptions {
  return { ai, catchall, threshold: sendThreshold, excludedTraits }
}
