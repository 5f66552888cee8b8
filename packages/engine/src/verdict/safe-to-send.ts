import { MODEL_PARAMETERS } from '@probity/contract/constants/data/model-parameters'
import type { Trait } from '@probity/contract/constants/validations'
import type { Decision } from './decide.ts'
import type { DeliverabilityEstimate } from './deliverability.ts'
import type { ValidationOptions } from './options.ts'

type Asked = { traits: Record<Trait, boolean>; options: ValidationOptions }

/**
 * Whether a message would stay within the bounces that somebody bears. Where no mail server has vouched for the mailbox, what became
 * of mail to the same domain must: a text that looks human makes nothing safe.
 */
export function safeToSend(
  { status }: Decision,
  { p, outcomes }: DeliverabilityEstimate,
  { traits, options }: Asked,
): boolean {
  if (status === 'invalid' || p < options.threshold) return false
  if (options.excludedTraits.some((trait) => traits[trait])) return false
  return status === 'valid' || outcomes >= MODEL_PARAMETERS.safe_outcomes_min
}
