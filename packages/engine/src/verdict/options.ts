import { SEND_THRESHOLD_DEFAULT } from '@probity/contract/data/model-parameters'
import { EXCLUDED_TRAITS_DEFAULT, type Trait } from '@probity/contract/traits'

/** How somebody wants an address judged: what their plan and their request allow, and what they would send to. */
export type ValidationOptions = {
  /** Whether the model may take part. */
  ai: boolean
  /** Whether servers are asked for a recipient that cannot exist. */
  catchall: boolean
  /** From this chance on an address is safe to send to. */
  threshold: number
  /** What an address must not be to be safe to send to. */
  excludedTraits: readonly Trait[]
}

export const DEFAULT_OPTIONS: ValidationOptions = {
  ai: true,
  catchall: true,
  threshold: SEND_THRESHOLD_DEFAULT,
  excludedTraits: EXCLUDED_TRAITS_DEFAULT,
}
