import { SEND_THRESHOLD_DEFAULT } from '@probity/contract/constants/data/model-parameters'
import { EXCLUDED_TRAITS_DEFAULT, type Trait } from '@probity/contract/constants/validations'

/** Options of a validation: features of the plan and the request, and sending settings. */
export type ValidationOptions = {
  /** Whether the model is used. */
  ai: boolean
  /** Whether control recipients are probed. */
  catchall: boolean
  /** Lowest deliverability that is safe to send to. */
  threshold: number
  /** Traits that are never safe to send to. */
  excludedTraits: readonly Trait[]
}

export const DEFAULT_OPTIONS: ValidationOptions = {
  ai: true,
  catchall: true,
  threshold: SEND_THRESHOLD_DEFAULT,
  excludedTraits: EXCLUDED_TRAITS_DEFAULT,
}
