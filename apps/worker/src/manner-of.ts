import type { AccountManner } from '@probity/database/keys'
import type { Manner } from '@probity/engine/verdict/manner'

/** How whoever pays for a validation wants it judged. */
export function mannerOf({ ai, catchall, sendThreshold, excludedTraits }: AccountManner): Manner {
  return { ai, catchall, threshold: sendThreshold, excludedTraits }
}
