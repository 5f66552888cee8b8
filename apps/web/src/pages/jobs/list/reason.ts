import { reasonLabel } from '@probity/contract/constants/labels'
import { SUB_STATUSES } from '@probity/contract/constants/validations'
import { providerName } from '../../../labels/provider-names.ts'

const REASONS: Record<string, { meaning: string } | undefined> = SUB_STATUSES

export const reasonWord = reasonLabel

export function reasonMeaning(subStatus: string): string | undefined {
  const meaning = subStatus === '' ? undefined : REASONS[subStatus]?.meaning
  return meaning && capitalised(meaning)
}

export function providerWord(provider: string): string {
  return provider === '' ? 'Unknown' : providerName(provider)
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
