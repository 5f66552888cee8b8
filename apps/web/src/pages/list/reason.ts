import { SUB_STATUSES } from '@probity/contract/status'
import { providerName } from '../../words/provider-names.ts'

const REASONS: Record<string, { meaning: string } | undefined> = SUB_STATUSES

/** Those that read badly as plain words. */
const WORDS: Record<string, string> = {
  '': 'Accepted by the mail server',
  dns_failed: 'DNS failed',
  null_mx: 'Takes no mail',
  smtputf8_unsupported: 'SMTPUTF8 not offered',
}

/** "mailbox_not_found" as "Mailbox not found". The list of reasons is open. */
export function reasonWord(subStatus: string): string {
  return WORDS[subStatus] ?? capitalised(subStatus.replaceAll('_', ' '))
}

export function reasonMeaning(subStatus: string): string | undefined {
  const meaning = subStatus === '' ? undefined : REASONS[subStatus]?.meaning
  return meaning && capitalised(meaning)
}

export function providerWord(provider: string): string {
  return provider === '' ? 'Not known' : providerName(provider)
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
