/** What stays in a list that is cleaned. A row stays if one line of its preset says so; rows without an address never do. */
export type Keeps = {
  status: 'valid' | 'risky' | 'unknown'
  /** Of that status only this reason. */
  reason?: string
  /** Only what the service itself would send to. */
  safeToSend?: true
  because: string
}

export const PRESETS = {
  strict: [
    {
      status: 'valid',
      safeToSend: true,
      because: 'the mail server accepts mail for this mailbox, and it is not a role account',
    },
  ],
  balanced: [
    { status: 'valid', because: 'the mail server accepts mail for this mailbox' },
    {
      status: 'risky',
      reason: 'catch_all',
      because: 'a domain that accepts every address is mostly a company with real people behind it',
    },
    {
      status: 'unknown',
      reason: 'provider_unverifiable',
      because: 'this provider tells nobody, so that leaving it out would lose all of its customers',
    },
  ],
  lenient: [
    { status: 'valid', because: 'the mail server accepts mail for this mailbox' },
    { status: 'risky', because: 'mail may well arrive' },
    { status: 'unknown', because: 'what could not be found out is nothing against the address' },
  ],
} as const satisfies Record<string, readonly Keeps[]>
