/** Reasons why an installation cannot probe mail servers. */
export const PROBING_REASONS = {
  no_helo_name: 'no worker has an egress (SMTP_HELO_NAME and SMTP_MAIL_FROM are not set).',
  port_25_closed: 'the mail servers of several large providers do not respond on port 25.',
  intercepted: 'a middlebox, such as a firewall or a proxy, intercepts port 25.',
  proxy_failed: 'the egress proxy does not respond.',
} as const satisfies Record<string, string>

export type ProbingReason = keyof typeof PROBING_REASONS

/** Effect on validations in the meantime. */
export const WITHOUT_PROBING =
  'This installation cannot reach mail servers at the moment, so mailboxes are not probed. Addresses that need no probe get their verdict as usual. All others are unknown, never invalid, and are not charged.'

/** The reason as the end of a sentence. Values may be added, so unknown ones have a default text. */
export function probingReason(reason: string | null): string {
  const words: Partial<Record<string, string>> = PROBING_REASONS
  return (reason === null ? undefined : words[reason]) ?? 'unknown reason.'
}
